"""What a cluster's history says about the weeks to come, and on which day it meets a limit. No Spark, no Streamlit.

May import history, balance, model, errors.
"""
