<?php

declare(strict_types=1);

namespace Larder\Cli\Operator;

use Symfony\Component\Console\Output\BufferedOutput;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\ConsoleSectionOutput;
use Symfony\Component\Console\Output\OutputInterface;

/** Keeps what a command writes, and apart from that its errors. */
final class SeparateOutput extends BufferedOutput implements ConsoleOutputInterface
{
    private OutputInterface $errors;

    public function __construct()
    {
        parent::__construct();
        $this->errors = new BufferedOutput();
    }

    public function errors(): string
    {
        return $this->errors instanceof BufferedOutput ? $this->errors->fetch() : '';
    }

    public function getErrorOutput(): OutputInterface
    {
        return $this->errors;
    }

    public function setErrorOutput(OutputInterface $error): void
    {
        $this->errors = $error;
    }

    public function section(): ConsoleSectionOutput
    {
        throw new \LogicException('There is no terminal');
    }
}
