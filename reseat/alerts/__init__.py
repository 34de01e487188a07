"""What a webhook is told of a fleet's history: each alert once when it begins, once when it is over. No Spark.

May import forecast, history, model, errors.
"""
