<?php

declare(strict_types=1);

/** What the extension lz4 declares, for static analysis where it is not loaded. */

function lz4_compress(string $data, int $level = 0, ?string $extra = null): string|false {}

function lz4_uncompress(string $data, int $max = -1, int $offset = -1): string|false {}
