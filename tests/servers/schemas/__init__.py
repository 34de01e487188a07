"""Messages of Kafka's protocol that members of a streams group send, which no client in Python does."""
