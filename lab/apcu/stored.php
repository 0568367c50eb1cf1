<?php

// Fills the cache that phpCacheAdmin shows, for lab/apcu/prove.php.

declare(strict_types=1);

apcu_store('shop:1', ['value' => $_GET['value'], 'list' => [1, 2]], 600);
apcu_store('shop:2', 'two');
apcu_store('user:1', 7, 86400);
apcu_fetch('shop:1');
apcu_fetch('none');
echo implode(' ', array_keys(apcu_fetch(['shop:1', 'shop:2', 'user:1'])));
