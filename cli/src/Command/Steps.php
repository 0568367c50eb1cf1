<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\Advice\Text;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Output\StreamOutput;

/**
 * The steps of a run, printed to standard error, a line each. On a terminal the line is rewritten in place; elsewhere
 * it is written when the step ends.
 */
final class Steps
{
    private const WIDTH = 78;
    private const BAR = 30;

    private readonly bool $isTerminal;
    private string $name = '';
    private float $start = 0.0;
    private bool $isShown = false;

    public function __construct(private readonly OutputInterface $errors)
    {
        $this->isTerminal = $errors instanceof StreamOutput && stream_isatty($errors->getStream());
    }

    public function begin(string $name): void
    {
        $this->name = $name;
        $this->start = microtime(true);
        $this->say('');
    }

    /** Shows the step as it is now. */
    public function say(string $text): void
    {
        if ($this->isTerminal) {
            $line = mb_strimwidth(\sprintf('  %-12s %s', $this->name, $text), 0, self::WIDTH);
            $this->write("\r" . $line . str_repeat(' ', self::WIDTH - mb_strwidth($line)));
            $this->isShown = true;
        }
    }

    /** @param float|null $left seconds */
    public function progress(int $done, int $all, ?float $left, string $what): void
    {
        $full = intdiv(self::BAR * $done, max(1, $all));
        $this->say(\sprintf(
            '%s%s %3d %%%s  %s',
            str_repeat('━', $full),
            str_repeat('╌', self::BAR - $full),
            intdiv(100 * $done, max(1, $all)),
            $left === null ? '' : \sprintf('  %s left', Text::minutes($left)),
            $what,
        ));
    }

    /** @param string $result empty: the step is not worth a line */
    public function end(string $result): void
    {
        $this->clear();
        if ($result !== '') {
            $time = Text::minutes(microtime(true) - $this->start);
            $text = mb_strimwidth($result, 0, self::WIDTH - 23, '…');
            $spaces = str_repeat(' ', max(1, self::WIDTH - 15 - mb_strwidth($text) - \strlen($time)));
            $this->write(\sprintf("  %-12s %s%s%s\n", $this->name, $text, $spaces, $time));
        }
    }

    public function clear(): void
    {
        if ($this->isShown) {
            $this->write("\r" . str_repeat(' ', self::WIDTH) . "\r");
            $this->isShown = false;
        }
    }

    private function write(string $text): void
    {
        $this->errors->write($text, false, OutputInterface::OUTPUT_RAW);
    }
}
