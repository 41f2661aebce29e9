"""Real coding agents against a stand-in for their model's API, to see what reaches the model.

`model.py` stands in for the model and keeps what it is sent, `shapes.py` knows the four APIs that agents speak, and
`programs.py` installs and starts the agents: each with an empty environment, a home of its own and loopback alone.
"""
