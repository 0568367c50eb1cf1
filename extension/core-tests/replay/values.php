<?php

/*
 * Prints values.inc, the sizes of the command's mixed values:
 *
 *     cd extension/core-tests/replay
 *     php -d extension=$PWD/../../modules/larder.so -d larder.segment=sizes values.php > values.inc
 */

declare(strict_types=1);

use Larder\Cli\Workload\MixedValue;

const KEY = '8 bytes.'; // a multiple of 8: the engine pads keys

require __DIR__ . '/../../../vendor/autoload.php';

$size = static function (string $compact, mixed $value): int {
    ini_set('larder.compact', $compact);
    larder_store(KEY, $value) || throw new RuntimeException('the engine does not store a value');

    return larder_key_info(KEY)['size'] - 32 - strlen(KEY);
};
echo "/* Printed by values.php. Bytes of each mixed value: in PHP's own form, dense, by igbinary (see MixedValue). */\n";
for ($number = 0; $number < MixedValue::KINDS * MixedValue::SIZES; ++$number) {
    $value = MixedValue::number($number);
    $igbinary = is_string($value) ? $value : igbinary_serialize($value);
    printf("{%d, %d, %d},\n", $size('0', $value), $size('1', $value), strlen($igbinary));
}
