"""Real Kafka clusters on 127.0.0.1 for the tests and for capturing samples."""
