"""The typed clients: over a socket and in process, sync and async, and as TRL's environments."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

pytestmark = pytest.mark.serve

MOVES = ("negotiate_contracts", "cut_costs", "hire_support")


def played(client):
    """Rewards of a whole episode of seed 7 on hard."""
    from revops_ma.client import RevOpsAction

    rewards = []
    with client.sync() as env:
        result = env.reset(seed=7, difficulty="hard")
        while not result.done:
            action = RevOpsAction(action_type=MOVES[len(rewards) % 3], magnitude=0.6)
            result = env.step(action)
            rewards.append(result.reward)
            assert env.state().step_count == len(rewards)
        assert result.observation.ending
        assert set(result.observation.metadata["reward_breakdown"]) >= {"ltv_cac", "growth"}
    return rewards


def test_a_client_and_its_twin_in_process_play_the_same_game(server):
    from revops_ma.client import RevOpsClient

    assert played(RevOpsClient(server.url)) == played(RevOpsClient.in_process()) != []


def test_the_async_client_is_the_same(server):
    from revops_ma.client import RevOpsClient

    async def play():
        async with RevOpsClient(server.url) as env:
            await env.reset(seed=7)
            result = await env.step({"action_type": "cut_costs", "magnitude": 1.0})
            return result.observation.mrr, result.observation.to_prompt_text().splitlines()[0]

    mrr, title = asyncio.run(play())
    assert mrr > 20_000
    assert title == "=== RevOps dashboard, month 2 of 30 ==="


@pytest.mark.parametrize("where", ["server", "process"])
def test_the_desks_client_names_its_tools(server, where):
    from revops_ma.client import FinOpsAction, FinOpsClient

    client = FinOpsClient(server.url) if where == "server" else FinOpsClient.in_process()
    with client.sync() as env:
        assert "TechCorp" in env.reset(task_id="task1").observation.ticket
        asked = FinOpsAction(tool="search_customers", args={"name": "TechCorp"})
        assert "cus_001" in str(env.step(asked).observation.last_response)


def test_what_the_server_turns_down_is_told_with_its_code(server):
    from revops_ma.client import RevOpsClient

    with RevOpsClient(server.url).sync() as env:
        with pytest.raises(RuntimeError, match="NO_EPISODE"):
            env.step({"action_type": "cut_costs"})
        with pytest.raises(RuntimeError, match="did you mean 'revops/hard'"):
            env.reset(scenario="revops/hrd")


def test_a_token_is_sent(start):
    from revops_ma.client import RevOpsClient

    guarded = start("--token", "open-sesame")
    with RevOpsClient(guarded.url, token="open-sesame").sync() as env:
        assert env.reset(seed=1).observation.month == 0
    with pytest.raises(Exception, match=r"40[13]|401"), RevOpsClient(guarded.url).sync() as env:
        env.reset(seed=1)


def test_a_container_is_started_as_openenv_does_it():
    from revops_ma.client import FinOpsClient, RevOpsClient

    class Provider:
        asked = None

        def start_container(self, image, **more):
            self.asked = image
            return "http://127.0.0.1:1"

        def wait_for_ready(self, url, **more):
            raise TimeoutError(url)

        def stop_container(self):
            pass

    for client in (RevOpsClient, FinOpsClient):
        provider = Provider()
        with pytest.raises(TimeoutError):
            asyncio.run(client.from_docker_image("revops-ma:latest", provider=provider))
        assert provider.asked == "revops-ma:latest"


def test_eight_environments_of_a_generation_batch_play_at_once(server):
    from revops_ma.client import RevOpsTools

    factory = partial(RevOpsTools, server.url)

    def play(seed):
        env = factory()
        assert "month 1 of 30" in env.reset(seed=seed, prompt="a column that is no argument")
        told = ""
        while not told.startswith("The episode is over"):
            told = env.act("negotiate_contracts", 0.8)
        return round(env.get_reward(), 9)

    alone = [play(seed) for seed in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(play, range(8))) == alone
    assert len(set(alone)) == 8
