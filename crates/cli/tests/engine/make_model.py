"""Makes the model file that the real engine runs: a llama as small as the engine takes, with random weights.

It says nothing that means anything, but everything about it is real: the engine's own tokenizer, chat template,
sampling, grammar and stream. Nothing is downloaded, and the same file comes out each time.

    python make_model.py tiny.gguf
"""

import sys
from pathlib import Path

import gguf
import numpy

# Tokens here are hardly longer than letters: a first request of ours, with all tools, is some twelve thousand.
CONTEXT = 32768

LAYERS = 2
WIDTH = 64
HEADS = 2
FORWARD = 128

# How strongly the model prefers one token over another. Low, so that it wanders through the whole vocabulary, bytes
# that are only part of a character included.
SPREAD = 0.2

# How much it likes to end, which left to chance can take twenty thousand tokens. An answer has some thirty.
ENDING = 0.2

END_OF_TEXT = "<|endoftext|>"
START = "<|im_start|>"
END = "<|im_end|>"
SPECIALS = [END_OF_TEXT, START, END]

# Letters that often stand together. Only a few: they are here so that not each token is one byte.
PAIRS = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro"

# The form of most chat models, with tools and their results. A message's content is a text or a list of parts.
TEMPLATE = """\
{%- if tools %}<|im_start|>tools
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{% if message.content is string %}{{ message.content }}
{%- elif message.content %}{% for part in message.content %}{{ part.text }}{% endfor %}{% endif %}
{%- for call in message.tool_calls or [] %}{{ call.function.name }}: {{ call.function.arguments }}{% endfor -%}
<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def main(path):
    writer = gguf.GGUFWriter(path, "llama")
    tokens = add_tokenizer(writer)
    add_shape(writer, len(tokens))
    add_weights(writer, len(tokens), tokens.index(END))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_tokenizer(writer):
    letters = byte_letters()
    words = [letters[byte] for byte in range(256)] + PAIRS.split()
    tokens = words + SPECIALS
    normal, control = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([normal] * len(words) + [control] * len(SPECIALS))
    writer.add_token_merges([" ".join(pair) for pair in PAIRS.split()])
    writer.add_bos_token_id(tokens.index(END_OF_TEXT))
    writer.add_eos_token_id(tokens.index(END))
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)
    return tokens


def byte_letters():
    """The letter by which this kind of tokenizer writes each byte: its own where it can be seen, else one from 256."""
    seen = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    unseen = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {byte: chr(256 + place) for place, byte in enumerate(unseen)}


def add_shape(writer, vocabulary):
    writer.add_name("forelook-test")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_context_length(CONTEXT)
    writer.add_vocab_size(vocabulary)
    writer.add_block_count(LAYERS)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)


def add_weights(writer, vocabulary, end):
    source = numpy.random.default_rng(5)

    def random(outputs, inputs, spread=1.0):
        return source.standard_normal((outputs, inputs), dtype=numpy.float32) * numpy.float32(spread / inputs**0.5)

    def add(name, values):
        writer.add_tensor(f"{name}.weight", values)

    def matrix(name, outputs, inputs):
        add(name, random(outputs, inputs))

    def matrix_to_stream(name, inputs):
        values = random(WIDTH, inputs)
        values[0] = 0
        add(name, values)

    def norm(name):
        add(name, numpy.ones(WIDTH, dtype=numpy.float32))

    # The first number of every token is one, and no layer changes it: by it the end is liked everywhere.
    tokens, output = random(vocabulary, WIDTH), random(vocabulary, WIDTH, SPREAD)
    tokens[:, 0] = 1
    output[end, 0] = ENDING

    add("token_embd", tokens)
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        norm(f"{block}.attn_norm")
        for part in ["attn_q", "attn_k", "attn_v"]:
            matrix(f"{block}.{part}", WIDTH, WIDTH)
        matrix_to_stream(f"{block}.attn_output", WIDTH)
        norm(f"{block}.ffn_norm")
        matrix(f"{block}.ffn_gate", FORWARD, WIDTH)
        matrix(f"{block}.ffn_up", FORWARD, WIDTH)
        matrix_to_stream(f"{block}.ffn_down", FORWARD)
    norm("output_norm")
    add("output", output)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
