"""Texts that a spreadsheet or a browser might run, as they come in names, categories, titles and file names."""

FORMULAS = (
    "=1+1", "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1,1)", "\t=1+1", "\r=1+1", "\n=1+1", "\0=1+1", "＝1+1",
    "＋1", "－1", "＠SUM(1)", " =1+1", "\u00a0=1+1", "\u3000=1", '"=1+1', "'=1+1", ",=1+1", ";=1+1",
    "=HYPERLINK(\"http://x.test\",\"a\")", "=IMPORTXML(\"http://x.test\",\"//a\")", "=WEBSERVICE(\"http://x.test\")",
    "=DDE(\"cmd\";\"/C calc\";\"x\")", "+cmd|' /C calc'!A0", "-cmd|' /C calc'!A0", "@cmd|' /C calc'!A0", "|calc",
    "%0A=1+1", "=1+1\n=2+2", "\ufeff=1+1", "\u200b=1+1", "=\u20281", "\x0b=1+1", "\x0c=1+1", "\x1f=1+1", "=A1&B1",
    "=INDIRECT(\"A1\")", "-0.05", "=rundll32|'URL.dll,OpenURL calc.exe'!A",
)  # fmt: skip
MARKUP = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "</svg><script>1</script>",
    "javascript:alert(1)", "[a](javascript:alert(1))", "![x](http://x.test/p.png)", "<a href='http://x.test'>a</a>",
    "*bold* _it_ `code`", "$\\frac{1}{0}$", "$$x$$", "#panic(\"x\")", "#read(\"/etc/passwd\")", "#import \"x.typ\"",
    "@ref <label>", "= Heading", "\\u{41} \\#x", "]]><b>", "&lt;b&gt; &amp; &#x41;", "{{7*7}} ${7*7} <%= 7 %>",
    ":material/home: :red[a]", "/* comment */ // x", "\\begin{document}", "\"; DROP TABLE runs; --", "%s %n {0} {x}",
    "<!-- x -->", "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>&b;",
    "\u202egnp.exe", "ภาษาไทย 😀 \ud83d", "名前" + "長" * 300,
)  # fmt: skip
