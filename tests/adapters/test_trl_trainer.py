"""TRL's own GRPOTrainer plays games through `environment_factory`, with a toy that calls tools.

No small model that calls tools can be had offline. The toy knows a handful of calls as one token
each and has learned, in a few steps, to say one of them and to stop: enough to go through the whole
of the stock trainer's loop of tools, and to be updated by it.
"""

import json
import warnings

import pytest

pytest.importorskip("trl", reason="needs the grpo extra")

import torch
import trl
from datasets import Dataset
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from revops_ma.adapters.trl import environment_factory

pytestmark = [
    pytest.mark.grpo,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*Swig.*"),
    pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.*is deprecated.*"),
]
HEADER, END = "<|im_start|>assistant\n", "<|im_end|>"
COMPANY = [
    {"action_type": "cut_costs", "magnitude": 0.3},
    {"action_type": "hire_support", "magnitude": 0.5},
    {"action_type": "negotiate_contracts", "magnitude": 0.9},
]
DESK = [("list_customers", {}), ("search_customers", {"name": "TechCorp"}), ("submit", {})]


def call(name, arguments):
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def toy_tokenizer(calls):
    """Bytes, and each call as one token; a chat template that TRL knows to parse."""
    from trl.chat_template_utils import qwen3_instruct_2507_chat_template

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({char: at for at, char in enumerate(alphabet)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_tokens([AddedToken(each, normalized=False) for each in [HEADER, *calls]])
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        eos_token=END,
        pad_token="<pad>",
        chat_template=qwen3_instruct_2507_chat_template,
    )


def toy_model(tokenizer, calls):
    """Says one of the calls after the assistant's header, and stops after a call."""
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=16_384,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    header, *spoken = tokenizer.convert_tokens_to_ids([HEADER, *calls])
    noise = torch.randint(0, 256, (len(spoken), 24))
    heads, tails = torch.full((len(spoken), 1), header), torch.tensor(spoken)[:, None]
    rows = torch.cat([noise, heads, tails, torch.full_like(tails, tokenizer.eos_token_id)], 1)
    labels = rows.clone()
    labels[:, : noise.shape[1] + 1] = -100
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(60):
        loss = model(input_ids=rows, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


def trained(tmp_path, factory, calls, turns, batch=4):
    """One step of the stock trainer; gives the trainer and what its environments had earned."""
    tokenizer = toy_tokenizer(calls)
    model = toy_model(tokenizer, calls)
    before = {name: each.detach().clone() for name, each in model.named_parameters()}
    arguments = trl.GRPOConfig(
        output_dir=str(tmp_path),
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        per_device_train_batch_size=batch,
        num_generations=2,
        max_steps=1,
        max_completion_length=turns * 1_800,
        max_tool_calling_iterations=turns,
        learning_rate=1e-3,
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
        logging_steps=1,
    )
    asked = [{"role": "user", "content": "Play."}]
    rows = Dataset.from_list([{"prompt": asked, "seed": seed} for seed in range(7, 7 + batch // 2)])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*environment_factory.*experimental.*")
        trainer = trl.GRPOTrainer(
            model=model,
            train_dataset=rows,
            environment_factory=factory,
            processing_class=tokenizer,
            args=arguments,
        )
    trainer.train()
    changed = any(
        not torch.equal(before[name], each) for name, each in trainer.model.named_parameters()
    )
    return trainer.state.log_history[0], list(trainer.environments), changed


def test_the_stock_trainer_plays_companies_and_learns_from_them(tmp_path):
    calls = [call("move", arguments) for arguments in COMPANY]
    factory = environment_factory("revops/normal", opponents={"crisis": "rule-based"})
    log, environments, changed = trained(tmp_path, factory, calls, turns=4)
    earned = [each.get_reward() for each in environments]
    assert log["tools/call_frequency"] >= 3
    assert log["tools/failure_frequency"] == 0
    assert log["rewards/RevopsEnvironment/mean"] == pytest.approx(sum(earned) / 4, abs=1e-5)
    assert len(set(earned)) > 1
    assert changed


def test_the_stock_trainer_works_on_tickets(tmp_path):
    calls = [call(name, arguments) for name, arguments in DESK]
    factory = environment_factory("finops/task1", opponents={"crisis": "none"})
    log, environments, changed = trained(tmp_path, factory, calls, turns=3)
    assert log["tools/call_frequency"] >= 1
    assert log["tools/failure_frequency"] == 0
    earned = [each.get_reward() for each in environments]
    assert log["rewards/FinopsEnvironment/mean"] == pytest.approx(sum(earned) / 4, abs=1e-5)
    assert changed
