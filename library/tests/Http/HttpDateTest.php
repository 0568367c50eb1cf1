<?php

declare(strict_types=1);

namespace Larder\Tests\Http;

use Larder\Internal\Http\HttpDate;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class HttpDateTest extends TestCase
{
    #[TestWith(['Sun, 06 Nov 1994 08:49:37 GMT'])]
    #[TestWith(['Sunday, 06-Nov-94 08:49:37 GMT'])]
    #[TestWith(['Sun Nov  6 08:49:37 1994'])]
    #[TestWith(['Mon, 06 Nov 1994 08:49:37 GMT'])]
    public function testTheThreeFormatsAreRead(string $date): void
    {
        self::assertSame(784_111_777, HttpDate::parse($date));
    }

    #[TestWith(['0'])]
    #[TestWith(['-1'])]
    #[TestWith([''])]
    #[TestWith(['now'])]
    #[TestWith(['+1 year'])]
    #[TestWith(['2040'])]
    #[TestWith(['Sun, 32 Nov 1994 08:49:37 GMT'])]
    #[TestWith(['Sun, 06 Nov 1994 08:49:37 +0000'])]
    #[TestWith(['Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 2094 08:49:37 GMT'])]
    public function testNothingElseIsADate(string $date): void
    {
        self::assertNull(HttpDate::parse($date));
    }

    public function testItReadsWhatItWrites(): void
    {
        self::assertSame('Sun, 06 Nov 1994 08:49:37 GMT', HttpDate::format(784_111_777.9));
        self::assertSame(784_111_777, HttpDate::parse(HttpDate::format(784_111_777)));
    }
}
