"""What text that speaks to the model looks like, as data (SPEC 18.2).

Patterns are for text in lower case, after `screening.clean`: the tags of frames begin with U+2039 there. They are
tuned on what people write down: `must` and `never` alone are what rules are made of.
"""

import re

_GAP = r"[^.\n]{0,40}?\b"
_TAG = r"[<\u2039]\s{0,8}/?\s{0,8}"
_TURN = r"^[\s>*#_-]{0,8}"

REASONS = tuple(
    (reason, "(?m)" + "|".join(patterns))
    for reason, *patterns in (
        (
            "asks to set earlier instructions aside",
            rf"\b(?:ignore|disregard|forget|override|overrule|bypass)\b{_GAP}(?:previous|prior|above|earlier|preceding"
            rf"|existing|all|any|your|system|other|the user'?s){_GAP}"
            r"(?:instructions?|prompts?|guidelines|directives?|orders|commands)\b",
            r"(?:이전|앞선|위의?|기존|지금까지의?|앞의|모든|시스템)\s?[^.\n]{0,16}?(?:지시|명령|지침|프롬프트)"
            r"[^.\n]{0,12}?(?:무시|잊|따르지)",
            r"(?:忽略|无视|無視)[^。\n]{0,12}?(?:指令|指示|提示)",
            r"(?:以前|これまで|上記|前)の[^。\n]{0,10}?(?:指示|命令|プロンプト)[^。\n]{0,8}?(?:無視|忘れ)",
        ),
        (
            "tells the model what it is or must do now",
            r"\byou must now\b|\bfrom now on,? you\b|\bnew (?:system )?instructions?\s?:",
            r"\byou are (?:now|no longer) (?:an?|in|the|dan|bound|allowed|free|operating)\b",
            r"\b(?:act|behave|respond) as (?:if you|an? (?:unrestricted|unfiltered|jailbroken|different|evil))\b",
            r"\b(?:dear|attention|note to|instructions? (?:to|for)) (?:the )?"
            r"(?:ai|assistant|model|claude|llm|chatbot)\b",
            r"\b(?:as|you are) an? (?:ai|llm|language model|helpful assistant)\b",
            r"(?:너는|당신은|넌) (?:이제|지금부터)|(?:이제부터|지금부터) (?:너는|당신은|넌)",
            r"你现在是|你現在是|从现在开始.?你|あなたは今|今からあなたは",
        ),
        (
            "looks like a turn of a conversation or a system message",
            rf"{_TURN}(?:system|assistant|human|user|developer)\**\s?:\s{{0,3}}"
            r"(?:you|ignore|please|do|don't|the (?:user|assistant)|now|run|i)\b",
            rf"{_TURN}system(?: (?:message|prompt|override|note))?\**\s?:(?=\s{{0,8}}\S{{1,40}} \S{{1,40}} \S)",
            r"[<\u2039]\|[a-z_]{2,30}\|>|\[/?inst\]|[<\u2039]{1,2}/?sys>>",
            rf"{_TAG}(?:(?:system|assistant|human)\s{{0,8}}>|system[-_ ]?(?:reminder|message|prompt)\b"
            r"|memory[-_ ]?context\b)",
            r"^시스템 ?(?:메시지|프롬프트)?\s?:",
        ),
        (
            "holds the syntax of a tool call",
            rf"{_TAG}(?:antml:\w|function_(?:calls|results?)\b|tool_(?:use|calls?|result|response)\b"
            r"|invoke\s{1,8}name)",
            r"\"type\"\s?:\s?\"(?:tool_use|tool_result|function_call)\"|\"tool_calls\"\s?:\s?\[",
        ),
        (
            "asks to keep something from the user",
            r"\b(?:do not|don't|never|without|avoid|must not|should not) (?:ever )?"
            r"(?:tell|inform|mention|reveal|disclose|let|notify|alert)(?:ing)?\b"
            r"(?: (?:this|that|it|these|anything|about|to|of)){0,4} (?:the )?(?:users?|human|developer|operator)\b",
            r"\b(?:hide|conceal|keep) (?:this|it|these|that)(?: \w{1,30}){0,3} from (?:the )?"
            r"(?:user|human|developer)s?\b",
            r"\b(?:secretly|silently|covertly) (?:run|execute|send|upload|install|add|delete|exfiltrate)\b",
            r"사용자(?:에게|한테|가)?[^.\n]{0,20}?(?:말하지|알리지|보여\s?주지|언급하지|모르게|숨기)",
        ),
        (
            "asks to send secrets away",
            rf"\b(?:send|post|upload|exfiltrate|forward|leak|transmit|e-?mail)\b{_GAP}(?:secrets?|credentials?"
            r"|api[ _-]?keys?|ssh keys?|private keys?|\.env|environment variables?|passwords?|access tokens?)"
            rf"{_GAP}(?:to|at|via)\b[^\n]{{0,20}}?(?:https?://|[\w.+-]{{1,40}}@[\w-]{{1,40}}\.)",
        ),
        (
            "asks for the model's own instructions",
            r"\b(?:reveal|print|output|repeat|show|leak|display)\b (?:me )?"
            r"(?:your|the (?:full |entire |hidden )?system) (?:system )?(?:prompt|instructions)\b",
        ),
    )
)
"""What each text does, and the pattern that finds it."""

SIGNS = re.compile(
    r"ignor|disregard|forget|overr|bypass|you |\bas an?\b|act as|behave|respond|assistant|instruction|system|human"
    r"|user|developer|operator|[<\u2039\[]|\"type\"|tool_calls|hide|conceal|keep|secretly|silently|covertly|send|post|upload"
    r"|exfil|forward|leak|transmit|mail|reveal|print|output|repeat|show|display|dear|attention|note to"
    r"|[지시명령너는당신넌사용자]|忽略|无视|無視|你|指示|命令|あなた|プロンプト"
)
"""One of them is in every text that a reason matches."""
