"""What docs/tasks.md has in Python prints what the page shows."""

import contextlib
import io
import os
import re
import unittest

TASKS = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "tasks.md")


class Pages(unittest.TestCase):
    def test_tasks(self):
        with open(TASKS) as page:
            sessions = re.findall("```python\n(.*?)```\n\n```text\n(.*?)```", page.read(), re.S)
        self.assertEqual(len(sessions), 1)
        for session, shown in sessions:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(session, {})
            self.assertEqual(out.getvalue(), shown)


if __name__ == "__main__":
    unittest.main()
