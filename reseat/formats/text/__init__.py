"""The texts of Kafka's and others' tools, a module a form: how each is read, and the commands that print them."""
