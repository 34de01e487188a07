"""The pipeline on Spark: landed snapshots become tables, tables are swept, compacted and thinned out.

May import everything of the core and ``sources``; nothing but the CLI imports it. Importing it starts no Spark.
"""
