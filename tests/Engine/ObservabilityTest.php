<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Attributes\Group;

/** larder_info() answers the questions of monitoring and troubleshooting. */
#[Group('proof')]
final class ObservabilityTest extends EngineTestCase
{
    /** An event, by the question that follows, and the answer to find: $before and $after are from larder_info(). */
    private const QUESTIONS = [
        'how full is it' => ['larder_store("a", str_repeat("x", 700_000));', '$after["memory"]["free"] <= $before["memory"]["free"] - 10 && $after["memory"]["large"] > $before["memory"]["large"]'],
        'what is replaced and not yet free' => ['larder_store("b", str_repeat("x", 20_000)); larder_store("b", str_repeat("y", 20_000));', '$after["memory"]["dead"] >= $before["memory"]["dead"] + 20_000'],
        'how many entries are there' => ['larder_store_multiple(["c" => 1, "d" => 2]);', '$after["entries"] === $before["entries"] + 2'],
        'who asks, and is answered' => ['larder_fetch("c"); larder_fetch("nothing");', '$after["hits"] === $before["hits"] + 1 && $after["misses"] === $before["misses"] + 1'],
        'who stores and deletes' => ['larder_store("e", 1); larder_delete("e");', '$after["stores"] === $before["stores"] + 1 && $after["deletes"] === $before["deletes"] + 1'],
        'what expires' => ['larder_store("f", 1, 0.01); usleep(50_000); larder_fetch("f");', '$after["evictions"]["expired"] === $before["evictions"]["expired"] + 1'],
        'is a value too large' => ['larder_store("g", str_repeat("x", 4 << 20));', '$after["refusals"]["size"] === $before["refusals"]["size"] + 1'],
        'who holds how much' => ['$held = larder_fetch("b");', '$after["pins"]["mine"] > 0 && $after["pins"]["long_lived"] >= $after["pins"]["mine"] && $after["pins"]["pages"] >= $after["pins"]["long_lived"] && $after["processes"]["holders"][0]["pid"] === getmypid() && $after["processes"]["holders"][0]["pages"] === $after["pins"]["mine"]'],
        'who is attached' => ['OTHER', '$after["processes"]["attached"] === $before["processes"]["attached"] + 1'],
        'has anybody died' => ['KILL', '$after["processes"]["reaped"] === $before["processes"]["reaped"] + 1 && $after["processes"]["attached"] === $before["processes"]["attached"] - 1'],
        'is it emptied for room' => ['for ($i = 0; $i < 20_000; $i++) { larder_store("room $i", str_repeat("x", 1000)); }', '$after["evictions"]["room"] >= $before["evictions"]["room"] + 10_000'],
        'is what is used kept' => ['ini_set("larder.zero_copy", "0"); for ($i = 0; $i < 20_000; $i++) { larder_store("moved $i", str_repeat("x", 1000)); for ($j = 0; $j < 5; $j++) { larder_fetch("moved " . ($i % 100)); } } ini_set("larder.zero_copy", "1");', '$after["moves"] > $before["moves"]'],
        'is the index too small' => ['larder_clear(); for ($i = 0; $i < 200_000; $i++) { larder_store("index $i", $i); }', '$after["evictions"]["index"] > $before["evictions"]["index"] && $after["entries"] > 0.8 * $after["slots"]'],
        'how far back does it reach' => ['larder_clear(); larder_store("old", 1); usleep(1_200_000);', '$after["oldest"] >= 1.2 && $after["oldest"] < 60 && $after["oldest"] <= $after["age"]'],
        'is it somebody\'s copy' => ['larder_store("h", "long enough"); ini_set("larder.zero_copy", "0"); larder_fetch("h"); ini_set("larder.zero_copy", "1");', '$after["copies"] === $before["copies"] + 1'],
    ];

    public function testInfoAnswersEveryQuestion(): void
    {
        $asked = $this->sandbox->commandLine();
        $asked->run('larder_store("made", 1);'); // creates the segment
        $other = null;
        [$unanswered, $answeredWithout] = [[], []];
        foreach (self::QUESTIONS as $question => [$event, $answer]) {
            $asked->run('$before = larder_info();');
            if ($event === 'OTHER') {
                $other = $this->sandbox->commandLine();
                $other->run('larder_fetch("attached");');
            } elseif ($event === 'KILL') {
                self::assertInstanceOf(CommandLine::class, $other);
                $other->kill();
                $asked->run('usleep(20_000);'); // the kernel is asked for living processes once in ten milliseconds
            } else {
                $asked->run($event);
            }
            $asked->run('$after = larder_info();');
            if ($asked->run("return $answer;") !== true) {
                $unanswered[] = $question;
            }
            // The same question when nothing has happened since.
            if ($asked->run('$saved = $before; $before = $after; $answered = ' . $answer . '; $before = $saved; return $answered;') === true) {
                $answeredWithout[] = $question;
            }
        }

        self::assertSame([], $unanswered);
        $count = \count(self::QUESTIONS);
        Proof::record('observability.questions', $count, 'questions to larder_info(), each after what it asks for has happened', \count($unanswered));
        Proof::control('observability.questions', 'the same questions when nothing has happened since the last look', $count, $count - \count($answeredWithout));
        // Holders and the age of the oldest entry are states, not events: their answers stay true.
        self::assertSame(['who holds how much', 'how far back does it reach'], $answeredWithout);
    }
}
