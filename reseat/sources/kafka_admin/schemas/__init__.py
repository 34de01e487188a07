"""Messages of Kafka's protocol that kafka-python does not know, in the form in which it reads its own."""
