"""Marks of chats and tools do not survive literally; the words around and inside them do."""

from __future__ import annotations

from collections import Counter

import pytest
from markdown_it import MarkdownIt

from tests.read.converting import markdown
from webquarry._read.text.delimiters import defuse_prose, defuse_verbatim

TOKENS = [
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|start_header_id|>",
    "<|tool call|>", "<｜User｜>", "<｜tool▁calls▁begin｜>", "[INST]", "[/INST]", "<<SYS>>",
    "<</SYS>>", "[TOOL_CALLS]", "<tool_call>", "</tool_call>", "<function_calls>",
    "</function_calls>", "<tool_result>", "<system>", "</system>", "<system-reminder>",
    "<start_of_turn>", "<SYSTEM>", "<system_prompt>",
]  # fmt: skip
PROSE_TOKENS = [
    *TOKENS,
    "<user>",
    "<assistant>",
    '<invoke name="x">',
    "<parameter>",
    "<s>",
    "</s>",
    "<thinking>",
]
SPEAKERS = ["Human", "Assistant", "System", "User", "human", "ASSISTANT"]
HARMLESS = [
    "a <| b |> c",
    "x < y > z",
    "[INSTALL]",
    "<sub>",
    "a|b|c",
    "Humanity: a word",
    "the System: it",
    "a << b >> c",
]


def entities(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


@pytest.mark.parametrize("token", PROSE_TOKENS)
def test_a_token_in_prose_is_broken_and_renders_as_it_was(token: str) -> None:
    text = markdown(f"<p>before {entities(token)} after")

    assert token not in text
    assert entities(token).replace(">", "&gt;").replace('"', "&quot;") in MarkdownIt().render(text)


@pytest.mark.parametrize("token", TOKENS)
def test_a_token_in_code_is_broken_by_one_blank(token: str) -> None:
    block, span = (
        markdown(f"<pre>{entities(token)}</pre>"),
        markdown(f"<code>{entities(token)}</code>"),
    )

    assert token not in block
    assert token not in span
    assert token in block.replace(token[0] + " ", token[0])


@pytest.mark.parametrize("speaker", SPEAKERS)
def test_a_line_does_not_start_a_turn(speaker: str) -> None:
    html = (
        f"<p>{speaker}: one<p>x<br>{speaker}: two<pre>x\n\n{speaker}: three</pre><div>{speaker} : "
        "four"
    )
    text = markdown(html)

    assert not any(line.startswith((f"{speaker}:", f"{speaker} :")) for line in text.splitlines())
    assert all(word in text for word in ("one", "two", "three", "four"))


def test_a_heading_does_not_start_an_instruction() -> None:
    assert (
        markdown("<h3>Instruction: x</h3><h3>Response:</h3>")
        == "### Instruction\\: x\n\n### Response\\:"
    )


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_similar_is_left_alone(text: str) -> None:
    assert defuse_prose(text, Counter()) == text
    assert defuse_verbatim(text, Counter()) == text


def test_ordinary_code_is_left_alone() -> None:
    code = (
        "if (a < b && c > d) { return x; }\nUser: name\n<user id='1'>\nlist |> map <| x\n<s>old</s>"
    )

    assert markdown(f"<pre>{entities(code)}</pre>") == f"```\n{code}\n```"


def test_pieces_that_marks_hold_apart_are_broken_once_they_meet() -> None:
    assert "<|im_start|>" not in markdown("&lt;<b></b>|im_<i></i>start|<a href=''></a>&gt;")
    assert "<|im_start|>" not in markdown("&lt;<span hidden>x</span>|im_start|&gt;")


def test_defusing_twice_changes_nothing_more() -> None:
    text = markdown(
        "".join(f"<p>{entities(token)}" for token in PROSE_TOKENS)
        + "<p>Human: x<p><a href=x>INST</a>"
    )

    assert defuse_prose(text, Counter()) == text


def test_ticks_in_prose_or_formulas_do_not_pass_for_code() -> None:
    formula = "<math><mi>`</mi></math>"

    assert "<tool_call>" not in markdown("` &lt;tool_call&gt; `")
    assert "<tool_call>" not in markdown(f"{formula} &lt;tool_call&gt; {formula}")
