"""What docs/tasks.md has in Python prints what the page shows, and the options that docs/languages.md names are options."""

import contextlib
import io
import os
import re
import unittest

import numpy as np

import mpsolve

DOCS = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs")


class Pages(unittest.TestCase):
    def test_tasks(self):
        with open(os.path.join(DOCS, "tasks.md")) as page:
            sessions = re.findall("```python\n(.*?)```\n\n```text\n(.*?)```", page.read(), re.S)
        self.assertEqual(len(sessions), 1)
        for session, shown in sessions:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(session, {})
            self.assertEqual(out.getvalue(), shown)

    def test_options(self):
        with open(os.path.join(DOCS, "languages.md")) as page:
            named = re.search("Options are flags with underscores:\n(.*)\n", page.read())[1]
        options = re.findall("`(.*?)`", named) + [re.search(r"for hyphens: (.*?)\. The", mpsolve.__doc__)[1]]
        self.assertEqual(len(options), 7)
        for option in options:
            with self.subTest(option):
                if "cuda" not in option:  # which not all machines have
                    eval(f"mpsolve.solve(2 * np.identity(3), np.ones(3), {option})", {"mpsolve": mpsolve, "np": np})


if __name__ == "__main__":
    unittest.main()
