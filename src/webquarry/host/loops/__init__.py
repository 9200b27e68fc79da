"""a model's tool calls -> the results to send back

One module per vendor. Each takes the vendor's answer, as a dict or as an object of its SDK, and
gives a list of what to add to the conversation; an empty list means that the model asked for
nothing.
"""
