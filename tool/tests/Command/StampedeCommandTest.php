<?php

declare(strict_types=1);

namespace Larder\Tool\Tests\Command;

use Larder\Tool\Command\StampedeCommand;
use Larder\Tool\TemporaryDirectory;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Tester\CommandTester;

final class StampedeCommandTest extends TestCase
{
    public function testItCountsComputationsAndTellsWhatIsMissing(): void
    {
        $directory = new TemporaryDirectory();
        $command = new CommandTester(new StampedeCommand());
        $file = 'file://' . $directory->path;
        self::assertSame(0, $command->execute(['address' => [$file, 'file:///proc/nowhere'], '--processes' => '5', '--compute' => '20']));
        $directory->remove();
        self::assertMatchesRegularExpression('~^' . preg_quote($file, '~') . ' +1 +\d+ ms +2 +\d+ ms$~m', $command->getDisplay());
        self::assertMatchesRegularExpression('~^file:///proc/nowhere +not measured: file: the directory /proc/nowhere/larder cannot be made~m', $command->getDisplay());
    }

    /** The control: where nothing is kept, each computes. */
    public function testWithoutAStoreAllCompute(): void
    {
        $command = new CommandTester(new StampedeCommand());
        $command->execute(['address' => ['none:'], '--processes' => '5', '--compute' => '1']);
        self::assertMatchesRegularExpression('~^none: +5 +\d+ ms +6 +\d+ ms$~m', $command->getDisplay());
    }

    public function testBadNumbersAreRefused(): void
    {
        $this->expectException(InvalidArgumentException::class);
        (new CommandTester(new StampedeCommand()))->execute(['--processes' => 'many']);
    }
}
