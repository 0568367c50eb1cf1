<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cache;
use Larder\Cli\Inspect\ServerEntries;
use Larder\Cli\Inspect\Text;
use Larder\Contract\Capability;
use Larder\Internal\Driver\Engine\Names;
use Larder\Internal\Remember\StoredValue;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Helper\Helper;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/** `larder get`: shows one value and its entry's data. Exits with 1 if there is no such entry. docs/operate.md. */
#[AsCommand('get', 'Show one value, its age, size and time to live')]
final class GetCommand extends InspectCommand
{
    protected function configure(): void
    {
        parent::configure();
        $this->setHelp(<<<'HELP'
            With --json: "key", "value" (with "encoding": "base64" if it is a string, and no UTF-8), "ttl" (0.0: never), "tags"; from the engine also "size", "age", "read", and "unreadable" if
            the value has objects that this PHP cannot create. An object whose class is missing has its "class" and its values;
            the engine does not store the names of declared properties, so they have numbers.
            HELP);
        $this->addArgument('key', InputArgument::REQUIRED, 'As the application wrote it, or as keys shows it');
    }

    protected function inspect(InputInterface $input, OutputInterface $output, ?Cache $cache): int
    {
        $key = $this->text($input, 'key');
        $server = $cache === null ? null : $this->server($input);
        $found = $cache === null ? self::inSegment($key)
            : self::inCache($cache, $key) ?? ($server === null ? null : self::onServer($server, $key));
        if ($found === null) {
            $where = match (true) {
                $cache === null => self::where(),
                $server === null => 'this cache',
                default => 'this server, or it is no string',
            };

            $message = "There is no entry \"$key\" in $where. To list those that are there: larder keys";

            return $this->fail($output, $message, self::FAILURE);
        }
        if ($input->getOption('json') === true) {
            $isBinary = \is_string($found['value']) && preg_match('//u', $found['value']) !== 1;
            $found['value'] = $isBinary ? base64_encode($found['value']) : Text::data($found['value']);
            $found += $isBinary ? ['encoding' => 'base64'] : [];
            $found['tags'] = array_map(Text::utf8(...), $found['tags'] ?? []);
            $output->writeln(Text::json(['key' => Text::utf8($key)] + $found), OutputInterface::OUTPUT_RAW);

            return self::SUCCESS;
        }
        $isUnreadable = $found['unreadable'] ?? false;
        $about = [$isUnreadable ? 'unreadable' : Text::type($found['value'])];
        if (isset($found['size'], $found['age'], $found['read'])) {
            $about[] = Helper::formatMemory($found['size']) . ' of memory';
            $about[] = 'stored ' . Text::time($found['age']) . ' ago';
            $about[] = $found['read'] ? 'read' : 'not read';
        }
        if (isset($found['ttl'])) {
            $about[] = $found['ttl'] === 0.0 ? 'never expires' : 'expires in ' . Text::time($found['ttl']);
        }
        if (isset($found['tags'])) {
            $about[] = 'tags: ' . implode(', ', array_map(Text::plain(...), $found['tags']));
        }
        $value = $isUnreadable
            ? 'It has objects that this PHP cannot create: igbinary is missing, or an enum.'
            : Text::value($found['value']);
        $output->writeln([implode(', ', $about), $value], OutputInterface::OUTPUT_RAW);

        return self::SUCCESS;
    }

    /**
     * @return array{
     *     value: mixed,
     *     size: int,
     *     age: int,
     *     ttl: float,
     *     read: bool,
     *     tags?: list<string>,
     *     unreadable?: bool,
     * }|null
     */
    private static function inSegment(string $shown): ?array
    {
        foreach (Names::ofSegment()->stored($shown) as $name) {
            /** @var array{ttl: float, age: int, size: int, used: bool}|null $info */
            $info = larder_key_info($name);
            if ($info === null) {
                continue;
            }
            $nothing = new \stdClass();
            $value = larder_peek($name, $nothing, true);
            ['size' => $size, 'age' => $age, 'ttl' => $ttl, 'used' => $isUsed] = $info;
            $found = ['value' => $value, 'size' => $size, 'age' => $age, 'ttl' => $ttl, 'read' => $isUsed];
            if ($value === $nothing) {
                return ['value' => null, 'unreadable' => true] + $found;
            }
            $wrapped = StoredValue::is($value) ? StoredValue::of($value) : null;
            if ($wrapped === null) {
                return $found;
            }

            $tags = array_map(strval(...), array_keys($wrapped->tagVersions));

            return ['value' => $wrapped->value] + $found + ($tags === [] ? [] : ['tags' => $tags]);
        }

        return null;
    }

    /** @return array{value: mixed, ttl?: float}|null */
    private static function inCache(Cache $cache, string $key): ?array
    {
        $value = $cache->get($key, $cache);
        if ($value === $cache) {
            return null;
        }
        $until = $cache->can(Capability::Expiry) ? $cache->expiry($key) : null;

        if ($until === null) {
            return ['value' => $value];
        }

        return ['value' => $value, 'ttl' => $until === 0.0 ? 0.0 : max(0.001, $until - microtime(true))];
    }

    /** @return array{value: mixed, ttl: float}|null */
    private static function onServer(ServerEntries $server, string $name): ?array
    {
        foreach ($server->values([$name]) as [$value, $ttl]) {
            return ['value' => $value, 'ttl' => $ttl];
        }

        return null;
    }
}
