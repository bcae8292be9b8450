"""Clients of language models: requests, replies, retry, usage, recordings (section IV-D).

A model's word is data. This room turns a prompt into a value that obeys a schema, or into a
failure with a code; what the value means, and whether it may be acted on, is decided by the
callers in ``planning`` and ``search``. The OpenAI SDK is imported only by a live client.
"""
