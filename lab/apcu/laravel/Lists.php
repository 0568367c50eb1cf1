<?php

declare(strict_types=1);

namespace App;

use Illuminate\Contracts\View\View;
use Illuminate\Support\Facades\Cache;

final class Lists
{
    public function __invoke(): View
    {
        $lists = [];
        $made = 0;
        for ($number = 0; $number < 60; $number++) {
            $lists[] = Cache::remember("list.$number", 3600, static function () use ($number, &$made): array {
                $made++;

                return (require __DIR__ . '/../products.php')($number);
            });
        }

        return view('lists', ['lists' => $lists, 'made' => $made]);
    }
}
