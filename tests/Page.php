<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

/** A page in Markdown, as a list of its fenced blocks. */
final class Page
{
    /**
     * @param list<array{language: string, text: string, line: int, next: bool}> $blocks next: only blank lines since
     *         the block before
     */
    private function __construct(private readonly string $name, private readonly array $blocks) {}

    public static function read(string $name): self
    {
        return self::parse($name, (string) file_get_contents(Repository::ROOT . '/' . $name));
    }

    public static function parse(string $name, string $markdown): self
    {
        $blocks = [];
        $open = null;
        $next = false;
        foreach (explode("\n", $markdown) as $index => $line) {
            if ($open === null && preg_match('/^```(\w+)\s*$/', $line, $match) === 1) {
                $open = ['language' => $match[1], 'text' => '', 'line' => $index + 1, 'next' => $next];
            } elseif ($open !== null && rtrim($line) === '```') {
                $blocks[] = $open;
                $open = null;
                $next = true;
            } elseif ($open !== null) {
                $open['text'] .= $line . "\n";
            } elseif (trim($line) !== '') {
                $next = false;
            }
        }

        return new self($name, $blocks);
    }

    /** @return array<string, Example> by position: file and line */
    public function examples(): array
    {
        $examples = [];
        foreach ($this->blocks as $index => $block) {
            if ($block['language'] !== 'php') {
                continue;
            }
            $after = $this->blocks[$index + 1] ?? null;
            $output = $after !== null && $after['next'] && $after['language'] === 'text' ? $after['text'] : '';
            $examples["$this->name:{$block['line']}"] = new Example($block['text'], $output);
        }

        return $examples;
    }

    /** @return array<string, string> command lines of shell blocks, by position */
    public function commands(): array
    {
        $commands = [];
        foreach ($this->blocks as $block) {
            if ($block['language'] !== 'sh') {
                continue;
            }
            foreach (explode("\n", $block['text']) as $offset => $line) {
                $command = trim((string) preg_replace('/(^|\s)#.*$/', '', $line));
                if ($command !== '') {
                    $commands[$this->name . ':' . ($block['line'] + 1 + $offset)] = $command;
                }
            }
        }

        return $commands;
    }
}
