<?php

declare(strict_types=1);

/*
 * A Laravel application, which lab/laravel/commands.php configures by environment variables. APP_HOME is its folder.
 * ?do=put stores what the commands of artisan change, and ?do=read shows it.
 */

use Illuminate\Console\Scheduling\Schedule;
use Illuminate\Foundation\Application;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Route;

$schedule = static function (Schedule $schedule): void {
    $schedule->command('about')->everyMinute()->withoutOverlapping();
};
$answers = [
    'put' => static function () use ($schedule): array {
        $schedule($events = app(Schedule::class));
        $event = $events->events()[0];

        return [
            Cache::put('kept', 'kept', 600), Cache::put('forgotten', 'forgotten', 600),
            Cache::supportsTags() && Cache::tags(['shop'])->put('tagged', 'tagged', 600),
            $event->mutex->create($event) || $event->mutex->exists($event),
        ];
    },
    'read' => static function () use ($schedule): array {
        $schedule($events = app(Schedule::class));
        $event = $events->events()[0];

        return [
            'kept' => Cache::get('kept'), 'forgotten' => Cache::get('forgotten'), 'tagged' => Cache::tags(['shop'])->get('tagged'),

            'restart' => Cache::get('illuminate:queue:restart'), 'interrupt' => Cache::get('illuminate:schedule:interrupt'),
            'paused' => Cache::get('illuminate:queue:paused:sync:default'), 'mutex' => $event->mutex->exists($event),
        ];
    },
    'session' => static function (Request $request): array {
        $count = (int) $request->session()->get('count', 0) + 1;
        $request->session()->put('count', $count);

        return [$count];
    },
];

return Application::configure((string) getenv('APP_HOME'))
    ->withRouting(using: static function () use ($answers): void {
        Route::get('/', static fn(Request $request): array => $answers[$request->query('do')]($request));
        Route::get('/session', $answers['session'])->middleware('web')->block(10, 10);
    })
    ->withSchedule($schedule)->withMiddleware()->withExceptions()->create();
