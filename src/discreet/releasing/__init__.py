"""The two folders of a publication: release/, which anybody may see, and steward/, which nobody else should.

The release is written first, under another name; it is verified, measured and attacked as its readers will see it, and
called release only when all else is done. One module a kind.
"""
