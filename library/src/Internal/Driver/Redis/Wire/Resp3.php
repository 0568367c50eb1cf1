<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Wire;

/**
 * Reads RESP3, the protocol of Valkey and of Redis since version 6, from bytes as they arrive. PHP's usual clients
 * cannot read push messages, which come without a request. The protocol:
 * https://redis.io/docs/latest/develop/reference/protocol-spec/
 */
final class Resp3
{
    private const DEEPEST = 16;
    /**
     * Bytes of an incomplete message. A map of a thousand servers has 200 kB. Each byte may take thirty when it is
     * decoded.
     */
    private const LONGEST = 1 << 21;

    private string $bytes = '';
    private int $at = 0;

    /** @param list<string> $words */
    public static function command(array $words): string
    {
        $bytes = \sprintf("*%d\r\n", \count($words));
        foreach ($words as $word) {
            $bytes .= \sprintf("$%d\r\n%s\r\n", \strlen($word), $word);
        }

        return $bytes;
    }

    /** @throws ServerGone if a message is too long */
    public function feed(string $bytes): void
    {
        if (\strlen($this->bytes) - $this->at + \strlen($bytes) > self::LONGEST) {
            throw new ServerGone(\sprintf('it sends a message of more than %d bytes', self::LONGEST));
        }
        $this->bytes = substr($this->bytes, $this->at) . $bytes;
        $this->at = 0;
    }

    /**
     * The next complete message.
     *
     * @return Message|null null if the rest has not arrived yet
     * @throws ServerGone if the bytes are not RESP3
     */
    public function next(): ?Message
    {
        $start = $this->at;
        if ($start >= \strlen($this->bytes)) {
            return null;
        }
        $kind = $this->bytes[$start];

        try {
            return new Message($kind, $this->value(self::DEEPEST));
        } catch (\UnderflowException) {
            $this->at = $start;

            return null;
        }
    }

    private function value(int $deepest): mixed
    {
        $line = $this->line();
        $rest = substr($line, 1);

        return match ($line[0] ?? '') {
            '+', '-', ',', '(' => $rest,
            ':' => (int) $rest,
            '#' => $rest === 't',
            '_' => null,
            '$', '=', '!' => $this->text(self::length($rest)),
            '*', '~', '>' => $this->values(self::length($rest), $deepest),
            '%' => $this->values(2 * self::length($rest), $deepest),
            '|' => $this->afterAttributes(self::length($rest), $deepest - 1),
            default => throw new ServerGone(\sprintf('it does not speak RESP3: "%s"', substr($line, 0, 40))),
        };
    }

    private function line(): string
    {
        $end = strpos($this->bytes, "\r\n", $this->at);
        if ($end === false) {
            throw new \UnderflowException();
        }
        $line = substr($this->bytes, $this->at, $end - $this->at);
        $this->at = $end + 2;

        return $line;
    }

    private function text(int $length): ?string
    {
        if ($length < 0) {
            return null;
        }
        if (\strlen($this->bytes) < $this->at + $length + 2) {
            throw new \UnderflowException();
        }
        $text = substr($this->bytes, $this->at, $length);
        $this->at += $length + 2;

        return $text;
    }

    /** @return list<mixed>|null */
    private function values(int $count, int $deepest): ?array
    {
        if ($count < 0) {
            return null;
        }
        if ($deepest === 0) {
            throw new ServerGone('it answers with more arrays in arrays than there should be');
        }
        $values = [];
        for ($i = 0; $i < $count; ++$i) {
            $values[] = $this->value($deepest - 1);
        }

        return $values;
    }

    private function afterAttributes(int $count, int $deepest): mixed
    {
        $this->values(2 * $count, $deepest); // values() checks the depth

        return $this->value($deepest);
    }

    private static function length(string $digits): int
    {
        return is_numeric($digits)
            ? (int) $digits
            : throw new ServerGone(\sprintf('it does not speak RESP3: a length of "%s"', substr($digits, 0, 40)));
    }
}
