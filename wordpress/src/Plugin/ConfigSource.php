<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

/**
 * The code of a wp-config.php, and what it says about WP_CACHE. It is read as PHP reads it: comments and texts that
 * look like a definition are none.
 */
final class ConfigSource
{
    public const LINE = "define('WP_CACHE', true);";

    private const MARK = '/* set by Larder */';
    private const OUR_LINE = self::LINE . ' ' . self::MARK;

    /** Ends of blocks without braces, whose beginnings are harder to find. */
    private const ENDS = [\T_ENDIF, \T_ENDFOR, \T_ENDFOREACH, \T_ENDWHILE, \T_ENDSWITCH, \T_ENDDECLARE];

    /** @var list<\PhpToken> */
    private readonly array $tokens;

    /** @var list<int> indices of the tokens after `define('WP_CACHE',` and `const WP_CACHE =` */
    private readonly array $values;

    /** @throws \ParseError */
    public function __construct(private readonly string $code)
    {
        $this->tokens = array_values(\PhpToken::tokenize($code, \TOKEN_PARSE));
        $this->values = $this->findValues();
    }

    /**
     * The code with WP_CACHE true. The same code if it says so already; null if it says more than true or false.
     *
     * @throws \ParseError
     */
    public function withCache(): ?string
    {
        $changed = match (\count($this->values)) {
            0 => $this->withLine(),
            1 => $this->withTrue($this->values[0]),
            default => null,
        };
        // What is added must be all that changes.
        $isSafe = $changed !== null && strcasecmp((new self($changed))->withoutCache(), $this->code) === 0;

        return $changed === $this->code || $isSafe ? $changed : null;
    }

    /** The code without what withCache() has added. */
    public function withoutCache(): string
    {
        foreach ($this->values as $value) {
            $rest = substr($this->code, $this->tokens[$value]->pos);
            $line = $this->tokens[$value]->pos - (int) strpos(self::OUR_LINE, 'true');
            if (substr($this->code, $line, \strlen(self::OUR_LINE)) === self::OUR_LINE) {
                return $this->withoutLine($line);
            }
            if (str_starts_with($rest, 'true ' . self::MARK)) {
                return substr($this->code, 0, $this->tokens[$value]->pos) . 'false'
                    . substr($rest, \strlen('true ' . self::MARK));
            }
        }

        return $this->code;
    }

    private function withoutLine(int $start): string
    {
        $before = substr($this->code, 0, $start);
        $after = substr($this->code, $start + \strlen(self::OUR_LINE));

        // It was put on a line of its own, after the opening tag or after a statement.
        return preg_match('~<\?php\s+\z~i', $before) === 1
            ? $before . preg_replace('~\A\R~', '', $after, 1)
            : preg_replace('~\R\z~', '', $before, 1) . $after;
    }

    private function withLine(): ?string
    {
        $at = null;
        foreach ($this->tokens as $index => $token) {
            if ($token->is(\T_OPEN_TAG)) {
                $at = $index;
                break;
            }
        }
        if ($at === null || preg_match('~^<\?php\s+$~i', $this->tokens[$at]->text) !== 1) {
            return null;
        }
        $end = $start = $this->tokens[$at]->pos + \strlen($this->tokens[$at]->text);
        // These must stay the first statements of a file.
        while (($next = $this->after($at)) !== null && $this->tokens[$next]->is([\T_DECLARE, \T_NAMESPACE])) {
            $at = $this->endOfStatement($next);
            if ($at === null) {
                return null;
            }
            $end = $this->tokens[$at]->pos + 1;
        }
        $break = str_contains($this->code, "\r\n") ? "\r\n" : "\n";
        $line = $end === $start ? self::OUR_LINE . $break : $break . self::OUR_LINE;

        return substr_replace($this->code, $line, $end, 0);
    }

    /** @param int $value index of the token that begins the value */
    private function withTrue(int $value): ?string
    {
        $token = $this->tokens[$value];
        $closing = $this->after($value);
        if ($closing !== null && $this->tokens[$closing]->text === ')') {
            $closing = $this->after($closing);
        }
        if ($closing === null || $this->tokens[$closing]->text !== ';' || !$this->isAlways($value)) {
            return null;
        }

        return match (strtolower($token->text)) {
            'true' => $this->code,
            'false' => substr_replace($this->code, 'true ' . self::MARK, $token->pos, \strlen($token->text)),
            default => null,
        };
    }

    /** True if the statement is executed in each case, before WordPress is loaded: outside of blocks and conditions. */
    private function isAlways(int $value): bool
    {
        $depth = 0;
        $first = null; // token of the statement
        foreach ($this->tokens as $index => $token) {
            if ($token->is(self::ENDS) || ($index < $value && str_contains($token->text, 'wp-settings.php'))) {
                return false;
            }
            if ($index > $value || $token->isIgnorable() || $token->is(\T_INLINE_HTML)) {
                continue;
            }
            if ($index === $value) {
                $isAlways = $depth === 0
                    && \in_array(strtolower($first->text ?? ''), ['const', 'define', '\\define'], true);
            }
            if ($token->text === '{' || $token->is([\T_CURLY_OPEN, \T_DOLLAR_OPEN_CURLY_BRACES])) {
                ++$depth;
            } elseif ($token->text === '}') {
                --$depth;
            }
            $first = \in_array($token->text, [';', '}'], true) ? null : $first ?? $token;
        }

        return $isAlways ?? false;
    }

    /** @return list<int> */
    private function findValues(): array
    {
        $found = [];
        foreach ($this->tokens as $index => $token) {
            $isCall = $token->is([\T_STRING, \T_NAME_FULLY_QUALIFIED])
                && \in_array(strtolower($token->text), ['define', '\\define'], true);
            if (!$isCall && !$token->is(\T_CONST)) {
                continue;
            }
            $at = $this->after($index);
            foreach ($isCall ? ['(', 'WP_CACHE', ','] : ['WP_CACHE', '='] as $text) {
                if ($at === null || trim($this->tokens[$at]->text, '\'"') !== $text) {
                    continue 2;
                }
                $at = $this->after($at);
            }
            if ($at !== null) {
                $found[] = $at;
            }
        }

        return $found;
    }

    /** @return int|null index of the next token that is neither space nor comment */
    private function after(int $index): ?int
    {
        for (++$index; isset($this->tokens[$index]); ++$index) {
            if (!$this->tokens[$index]->isIgnorable()) {
                return $index;
            }
        }

        return null;
    }

    private function endOfStatement(int $index): ?int
    {
        for (; isset($this->tokens[$index]); ++$index) {
            if ($this->tokens[$index]->text === ';') {
                return $index;
            }
            if ($this->tokens[$index]->text === '{') {
                return null;
            }
        }

        return null;
    }
}
