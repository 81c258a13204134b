"""A transformers model made on the spot: random weights, a tokenizer trained on dashboards."""

from revops_ma import catalog
from revops_ma.table import Table

TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
NO_SYSTEM = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
) + TEMPLATE
SPECIAL = ["<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]


def texts():
    """Dashboards and tickets to learn words from."""
    found = []
    for name in ("revops/normal", "finops/task1"):
        scene = catalog.scenario(name)
        for view in Table(scene.world, scene.settings, range(4)).waiting():
            found += view.texts
    return found


def save(folder, template=TEMPLATE, context=1024, seed=0, **wishes):
    """Write a model and its tokenizer; `wishes` go into its generation_config."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = _tokenizer(template)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=context,
        initializer_range=0.3,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        pad_token_id=None,
    )
    model = LlamaForCausalLM(config)
    for name, value in wishes.items():
        setattr(model.generation_config, name, value)
    model.save_pretrained(folder)
    return folder


def _tokenizer(template):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    raw.train_from_iterator(texts(), trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw,
        eos_token=SPECIAL[0],
        additional_special_tokens=SPECIAL[1:],
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = template
    return tokenizer
