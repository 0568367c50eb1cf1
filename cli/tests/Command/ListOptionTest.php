<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\Command\ListOption;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Exception\InvalidOptionException;

final class ListOptionTest extends TestCase
{
    private const KNOWN = ['10b', '1k', '50 x 50 array'];

    public function testWithoutTheOptionEveryNameIsChosen(): void
    {
        self::assertSame(self::KNOWN, ListOption::of(self::KNOWN, null, 'values'));
    }

    public function testSpacesCapitalsAndOrderOfNamesDoNotMatter(): void
    {
        self::assertSame(['10b', '50 x 50 array'], ListOption::of(self::KNOWN, '50x50 Array, 10b,', 'values'));
    }

    #[TestWith(['10b,2k', '--values: 2k is not known. Known: 10b, 1k, 50 x 50 array.'])]
    #[TestWith(['x,y', '--values: x, y are not known. Known: 10b, 1k, 50 x 50 array.'])]
    #[TestWith([' ,', '--values: nothing is named. Known: 10b, 1k, 50 x 50 array.'])]
    public function testUnknownNamesAreRefusedAndTheKnownOnesListed(string $given, string $message): void
    {
        $this->expectExceptionObject(new InvalidOptionException($message));
        ListOption::of(self::KNOWN, $given, 'values');
    }
}
