"""The tiny tokenizer: fixed width, nothing unknown, two readers with the same ids."""

import pytest

from revops_ma.errors import BadInput
from revops_ma.training.pilot_grpo.frame import learn
from revops_ma.training.pilot_grpo.reader import Reader
from revops_ma.training.pilot_grpo.tokens import answer_fields, tokenizer_of

pytestmark = pytest.mark.grpo


@pytest.fixture(scope="module")
def frame(texts):
    return learn(texts)


@pytest.fixture(scope="module")
def tokenizer(frame, role):
    return tokenizer_of(frame, answer_fields(role.schema))


def test_every_dashboard_has_the_same_length_and_no_unknown_token(texts, tokenizer):
    rows = tokenizer(texts)["input_ids"]
    assert len(set(map(len, rows))) == 1
    assert len(rows[0]) < 40
    assert not any(tokenizer.unk_token_id in row for row in rows)


def test_the_fast_reader_gives_the_ids_of_the_tokenizer(texts, frame, tokenizer):
    assert Reader(frame, tokenizer).encode(texts) == tokenizer(texts)["input_ids"]


def test_a_text_without_the_frame_goes_to_the_tokenizer(frame, tokenizer):
    text = "something else entirely: 12"
    assert Reader(frame, tokenizer).encode([text]) == [tokenizer(text)["input_ids"]]


def test_figures_that_are_too_large_are_cut_and_keep_the_width(texts, frame, tokenizer):
    line = next(line for line in texts[0].split("\n") if line.startswith("MRR"))
    text = texts[0].replace(line, "MRR:              $123,456,789 (dead below $20,000)")
    reader = Reader(frame, tokenizer)
    assert reader.encode([text]) == [tokenizer(text)["input_ids"]]
    assert len(reader.encode([text])[0]) == len(reader.encode(texts[:1])[0])


def test_every_answer_is_two_tokens_and_a_legal_move(tokenizer, role):
    first, second = answer_fields(role.schema)
    said = [one + two for one in first for two in second]
    assert all(len(tokenizer(text)["input_ids"]) == 2 for text in said)
    assert not role.texts(said).refused
    ids = tokenizer(said[37])["input_ids"]
    assert tokenizer.decode([*ids, tokenizer.eos_token_id], skip_special_tokens=True) == said[37]


def test_the_folder_is_read_by_transformers_without_our_code(texts, writer, tmp_path):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    writer.model.save_pretrained(tmp_path)
    writer.tokenizer.save_pretrained(tmp_path)
    found = AutoTokenizer.from_pretrained(tmp_path, local_files_only=True)
    chat = [{"role": "system", "content": "not read"}, {"role": "user", "content": texts[0]}]
    told = found.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    assert [found(told)["input_ids"]] == writer.encode(texts[:1])
    model = AutoModelForCausalLM.from_pretrained(tmp_path, local_files_only=True)
    assert sum(each.numel() for each in model.parameters()) < 150_000
    assert not list(tmp_path.glob("*.bin"))


def test_texts_without_a_fixed_form_are_refused_with_the_way_out():
    with pytest.raises(BadInput, match="smollm2"):
        learn(["one line", "two\nlines"])
    with pytest.raises(BadInput, match="different words"):
        learn([f"name: {chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(100)])
