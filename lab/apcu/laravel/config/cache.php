<?php

declare(strict_types=1);

return ['default' => 'apc', 'stores' => ['apc' => ['driver' => 'apc']]];
