<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/** Arrays as applications cache them: their bytes in PHP's own form and serialized, and the time of storing them. */
final class MemoryRows
{
    private const KEY = 'figure';

    /** @return non-empty-list<Row> */
    public static function all(): array
    {
        $rows = [];
        foreach (self::values() as $name => [$what, $value]) {
            $compact = ['larder.compact' => '1', 'apc.serializer' => 'igbinary'];
            $bytes = static fn(): array => [self::bytes($value())];
            $store = static fn(int $rounds): array => StoreRows::same($value(), $rounds);
            $rows[] = new Row("$name-bytes", $what, 'APCu, bytes', null, [], $bytes);
            $rows[] = new Row("$name-compact", $what, 'APCu, igbinary, bytes', null, $compact, $bytes);
            $rows[] = new Row("$name-store", $what, 'APCu, stored', null, [], $store);
        }

        return $rows;
    }

    /** @return non-empty-array<string, array{string, \Closure(): array<mixed>}> description, creation of the array */
    private static function values(): array
    {
        return [
            'config' => ['config of 900 services and 300 routes', self::config(...)],
            'rows' => ['1,000 rows of 23 columns, half of them repeated', static fn(): array => self::rows(true)],
            'distinct' => ['the same, all values distinct', static fn(): array => self::rows(false)],
            'options' => ['451 options', self::options(...)],
            'translations' => ['4,000 translations', self::translations(...)],
            'table' => ['50 rows of 50 named strings', Values::table(...)],
            'products' => ['20 product rows of 6 columns', self::products(...)],
        ];
    }

    /** @return array{float, float} ours and APCu's */
    private static function bytes(mixed $value): array
    {
        larder_store(self::KEY, $value);
        apcu_store(self::KEY, $value);
        $ours = larder_key_info(self::KEY)['size'] ?? null;
        $item = (new \APCUIterator('/^' . self::KEY . '$/', \APC_ITER_MEM_SIZE))->current();
        $theirs = \is_array($item) ? $item['mem_size'] ?? null : null;

        return \is_int($ours) && \is_int($theirs) ? [(float) $ours, (float) $theirs] : throw new \RuntimeException('the value was not stored by both');
    }

    /** @return array<string, array<string, mixed>> as a framework compiles it */
    private static function config(): array
    {
        $services = $routes = [];
        for ($i = 0; $i < 900; ++$i) {
            $services["app.service_$i"] = [
                'class' => 'App\\Part' . $i % 40 . "\\Service$i",
                'arguments' => ['@app.service_' . $i * 7 % 900, '@logger', "%kernel.project_dir%/var/$i"],
                'tags' => [['name' => 'kernel.event_listener', 'event' => 'event.' . $i % 60, 'priority' => $i % 10]],
                'public' => $i % 9 === 0,
                'shared' => true,
            ];
        }
        for ($i = 0; $i < 300; ++$i) {
            $routes["route_$i"] = [
                'path' => '/part' . $i % 40 . "/{id}/action$i",
                'methods' => $i % 3 === 0 ? ['GET', 'POST'] : ['GET'],
                'defaults' => ['_controller' => 'App\\Controller\\Controller' . $i % 40 . "::action$i", '_format' => 'html'],
                'requirements' => ['id' => '\d+'],
            ];
        }

        return ['services' => $services, 'routes' => $routes];
    }

    /** @return list<array<string, int|string>> rows as a database returns them */
    private static function rows(bool $isRepeated): array
    {
        return array_map(static function (int $row) use ($isRepeated): array {
            $columns = ['id' => $row];
            for ($column = 1; $column < 23; ++$column) {
                $columns["column_$column"] = $isRepeated && $column % 2 === 0 ? "repeated value $column" : "value $column of $row";
            }

            return $columns;
        }, range(1, 1000));
    }

    /** @return array<string, string> */
    private static function options(): array
    {
        $options = [];
        for ($i = 0; $i < 451; ++$i) {
            $options["option_name_$i"] = str_repeat("setting $i; ", 1 + $i % 17);
        }

        return $options;
    }

    /** @return array<string, string> */
    private static function translations(): array
    {
        $translations = [];
        for ($i = 0; $i < 4000; ++$i) {
            $translations['messages.page_' . $i % 80 . ".label_$i"] = "Text $i in another language" . str_repeat(' and more', $i % 4);
        }

        return $translations;
    }

    /** @return array<mixed> */
    private static function products(): array
    {
        /** @var \Closure(int): list<array<string, mixed>> $list */
        $list = require \dirname(__DIR__, 2) . '/apcu/products.php';

        return $list(0);
    }
}
