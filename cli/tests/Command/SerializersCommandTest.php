<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\Command\SerializersCommand;
use Larder\Cli\Compare\Value;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Tester\CommandTester;

final class SerializersCommandTest extends TestCase
{
    public function testBytesAndTimesArePrinted(): void
    {
        $command = new CommandTester(new SerializersCommand());
        self::assertSame(0, $command->execute(['--values' => 'array of 4, 1k, 4k', '--rounds' => '1']));
        $table = $command->getDisplay();
        foreach (['array of 4', '1k'] as $name) {
            $value = Value::all()[$name]->make(0);
            foreach ([
                'php' => serialize($value),
                'json' => (string) json_encode($value, \JSON_UNESCAPED_SLASHES),
            ] as $serializer => $bytes) {
                $size = preg_quote(number_format(\strlen($bytes)), '/');
                self::assertMatchesRegularExpression(
                    "/^$name +$serializer +$size +[0-9.]+ [nµ]s +[0-9.]+ [nµ]s$/mu",
                    $table,
                );
                $signed = preg_quote(number_format(\strlen($bytes) + 37), '/');
                self::assertMatchesRegularExpression("/^$name +$serializer +signature +$signed /m", $table);
            }
        }
        self::assertMatchesRegularExpression('/^4k +php +zlib +3,\d\d\d /m', $table);
    }

    public function testUnknownValueIsRefused(): void
    {
        $this->expectException(InvalidOptionException::class);
        (new CommandTester(new SerializersCommand()))->execute(['--values' => '3k']);
    }

    public function testInvalidRoundsAreRefused(): void
    {
        $this->expectExceptionMessage('--rounds: many is not a number from 1 to 9999.');
        (new CommandTester(new SerializersCommand()))->execute(['--values' => '10b', '--rounds' => 'many']);
    }
}
