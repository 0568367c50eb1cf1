<?php

declare(strict_types=1);

/* Values of the storms, which prove themselves. */

/** @return array{key: string, text: string, list: list<array{number: int, text: string}>, sum: string} */
function value(string $key, int $version): array
{
    $text = str_repeat("$key of version $version. ", $version % 300);
    $list = [];
    for ($i = 0; $i < $version % 40; $i++) {
        $list[] = ['number' => $version + $i, 'text' => "$key $i"];
    }

    return ['key' => $key, 'text' => $text, 'list' => $list, 'sum' => sum($key, $text, $list)];
}

/** @param array<mixed> $list */
function sum(string $key, string $text, array $list): string
{
    return hash('crc32b', "$key $text " . json_encode($list));
}

function fail(string $what): never
{
    file_put_contents('php://stderr', "$what\n");
    exit(1);
}

function expect_whole(string $key, mixed $value): void
{
    if (is_object($value)) {
        $value = (array) $value;
    }
    if (!is_array($value) || !is_string($value['text'] ?? null) || !is_array($value['list'] ?? null)
        || ($value['key'] ?? null) !== $key || sum($key, $value['text'], $value['list']) !== ($value['sum'] ?? null)) {
        fail("$key has a wrong value: " . substr(var_export($value, true), 0, 500));
    }
}
