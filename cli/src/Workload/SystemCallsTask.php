<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\Value;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;

/** Operations between marks in strace's output. A mark is a file name that does not exist. See SystemCalls. */
final class SystemCallsTask implements Task
{
    public const OPERATIONS = 100;
    public const MARK = '/larder-mark-';
    private const VALUE = '1k';
    private const KEYS = 10;

    /** @param string $address see Stores::open() */
    public function __construct(
        private readonly string $store,
        private readonly ?string $connection,
        #[\SensitiveParameter]
        private readonly string $address,
    ) {}

    public function name(): string
    {
        return rtrim('system calls, ' . $this->store . ' ' . $this->connection);
    }

    public function subjects(): array
    {
        return array_map(
            fn(string $operation): Subject => Memory::subject(
                Memory::CALLS,
                $this->store,
                $this->connection,
                self::VALUE,
                Value::all()[self::VALUE]->bytes,
                $operation,
            ),
            ['get', 'set'],
        );
    }

    /** A sample holds the number of operations; their calls are counted in the strace output. */
    public function run(\Closure $tell): void
    {
        $store = Stores::open($this->address);
        $keys = $values = [];
        for ($i = 0; $i < self::OPERATIONS; ++$i) {
            $keys[] = \sprintf('calls-%d', $i % self::KEYS);
            $values[] = Value::all()[self::VALUE]->make($i % self::KEYS);
            $store->set($keys[$i], $values[$i]);
        }
        $failed = 0;
        for ($i = 0; $i < self::OPERATIONS; ++$i) {
            $failed += $store->get($keys[$i]) === $values[$i] ? 0 : 1; // loads the code
        }
        self::mark(0);
        for ($i = 0; $i < self::OPERATIONS; ++$i) {
            $store->get($keys[$i]);
        }
        self::mark(1);
        for ($i = 0; $i < self::OPERATIONS; ++$i) {
            $store->set($keys[$i], $values[$i]);
        }
        self::mark(2);
        foreach ($this->subjects() as $subject) {
            $tell(
                $failed > 0
                    ? Sample::failed($subject, 'loses or changes values', $failed)
                    : new Sample($subject, (float) self::OPERATIONS),
            );
        }
    }

    private static function mark(int $number): void
    {
        @file_get_contents(self::MARK . $number);
    }
}
