<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\MySql;

final class MySqlMyIsamTest extends MySqlTestCase
{
    use RemovesExpiredRows;

    protected static function engine(): string
    {
        return 'myisam';
    }

    protected function tooLarge(): string
    {
        return random_bytes(3 << 20);
    }
}
