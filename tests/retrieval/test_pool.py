"""Work shared with helpers: done once, by whoever comes first, and never stuck behind one slow task."""

from __future__ import annotations

import threading

import pytest

from sightline.retrieval.pool import Pool, Task, finish

WAIT_S = 20


@pytest.fixture(scope="module", params=[1, 2, 8])
def pool(request: pytest.FixtureRequest) -> Pool:
    return Pool(6, cores=request.param)


@pytest.mark.parametrize("short", [False, True])
def test_every_task_is_done_exactly_once(pool: Pool, short: bool) -> None:
    done: list[int] = []
    for _ in range(50):
        done.clear()
        tasks = [pool.begin(lambda n=n: done.append(n), short=short) for n in range(8)]  # type: ignore[misc]
        finish(tasks)
        assert sorted(done) == list(range(8))


@pytest.mark.parametrize("short", [False, True])
def test_tasks_that_wait_for_each_other_are_all_at_work(pool: Pool, short: bool) -> None:
    meeting = threading.Barrier(6)
    tasks = [pool.begin(lambda: meeting.wait(WAIT_S), short=short) for _ in range(6)]
    finish(tasks)
    assert sorted(task.result() for task in tasks) == list(range(6))


def test_what_a_task_raises_reaches_whoever_asks_for_it(pool: Pool) -> None:
    def fails() -> None:
        raise OSError("the disk is gone")

    task = pool.begin(fails)
    finish([task])
    assert isinstance(task.error, OSError)
    with pytest.raises(OSError, match="the disk is gone"):
        task.result()


def test_a_task_nobody_was_offered_is_done_by_the_caller() -> None:
    assert Task(threading.get_ident).result() == threading.get_ident()
