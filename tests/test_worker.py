"""What a worker says, looked at in this process."""

import pickle

import job_servers
from anonset.jobs import Message, Reporter, answer_requests


class Listener:
    """The end of a pipe that remembers what is sent, and has some requests to hand out."""

    def __init__(self, *requests):
        self.requests, self.heard = list(requests), []

    def recv(self):
        if not self.requests:
            raise EOFError
        return self.requests.pop(0)

    def send(self, message):
        self.heard.append(message)

    def send_bytes(self, message):
        self.heard.append(pickle.loads(message))


def test_progress_is_thinned_out_but_for_the_end():
    pipe = Listener()
    listen = Reporter(pipe)("Reading")

    for n in range(1001):
        listen(n / 1000)

    assert pipe.heard[0] == Message("progress", ("Reading", 0.0))
    assert pipe.heard[-1] == Message("progress", ("Reading", 1.0))
    assert len(pipe.heard) < 100


def test_requests_are_answered_one_after_the_other_until_the_pipe_closes(tmp_path):
    pipe = Listener(("echo", 1), ("refuse", "too few"), ("say", "x"), ("fail", "secret"))

    answer_requests(pipe, job_servers.obedient, (str(tmp_path),), float("inf"))

    assert [(message.kind, message.value) for message in pipe.heard] == [
        ("done", 1),
        ("failed", "too few"),
        ("value", "x"),
        ("done", 1),
        ("failed", "internal error: ValueError"),
    ]
    assert len(list(tmp_path.iterdir())) == 1  # the server is made once
