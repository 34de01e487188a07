"""What each loss of a broker, a rack or a pair would do. Pure.

May import model, errors, balance, election, planning.
"""
