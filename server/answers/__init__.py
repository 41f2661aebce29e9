"""What leaves: results of the core → the text an agent reads (`render`, `graph`) or data (`payload`, by `schema`).

Everything that a repository says is shown as its words (`sightline.visible`), never as ours.
"""
