<?php

declare(strict_types=1);

namespace Larder\Cli\Operator;

use Larder\Cli\Inspect\Errors;
use Larder\Cli\Inspect\Text;
use Larder\Cli\Server\PhpFpmConnection;
use Larder\Cli\System\ServerFailed;
use Symfony\Component\Console\Application;
use Symfony\Component\Console\Input\ArgvInput;
use Symfony\Component\Console\Input\InputDefinition;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * `larder keys --fcgi=SOCKET` runs in a worker of that pool, with its user, its settings and its cache: the pool runs
 * cli/page.php, and that runs the command.
 *
 * There is no password, because who can connect to the socket can run any PHP file with any setting there. Over HTTP
 * nobody gets here: a web server names the parameters itself, and prefixes the names of a client's headers by HTTP_
 * (CONTENT_TYPE and CONTENT_LENGTH alone have none). Should a careless configuration pass such a parameter on, there is
 * still REMOTE_ADDR, which every web server sends, and this never.
 */
final class Agent
{
    private const PARAMETER = 'LARDER_COMMAND';
    private const COMMANDS = ['delete', 'du', 'dump', 'get', 'keys', 'top'];
    private const OF_THIS_SIDE = ['fcgi', 'user', 'segment', 'no-interaction', 'ansi'];
    /** Marks where the answer begins: a file of auto_prepend_file may print something before it. */
    private const BEGIN = 'larder answers: ';
    private const SEGMENT = '/^(?!\.)[A-Za-z0-9._-]{1,64}$/D';
    private const UNREADABLE = '/Primary script unknown|File not found|open_basedir|Permission denied|Failed opening/i';
    /** Bytes of the command: a FastCGI record has 65,535, and other parameters need some of them. */
    private const LONGEST = 60_000;

    /**
     * @param array<array-key, mixed> $server $_SERVER
     * @return list<string>|null the command line; null: this request is not from asks()
     */
    public static function command(array $server): ?array
    {
        $sent = $server[self::PARAMETER] ?? null;
        $isOverHttp = isset($server['REMOTE_ADDR']) || isset($server['HTTP_HOST']);
        if (\PHP_SAPI !== 'fpm-fcgi' || !\is_string($sent) || $isOverHttp) {
            return null;
        }
        parse_str($sent, $words);

        return array_values(array_filter($words, is_string(...)));
    }

    /** @param list<string> $words */
    public static function run(array $words, Application $application): void
    {
        $output = new SeparateOutput();
        if (!\in_array($words[0] ?? '', self::COMMANDS, true)) {
            $code = Errors::UNKNOWN;
            $output->getErrorOutput()->writeln('A pool runs these commands alone: ' . implode(', ', self::COMMANDS));
        } else {
            $application->setAutoExit(false);
            $code = $application->run(new ArgvInput(['larder', ...$words]), $output);
        }
        echo self::BEGIN, Text::json(['code' => $code, 'out' => $output->fetch(), 'err' => $output->errors()]);
    }

    /**
     * Prints what the command says there.
     *
     * @return int its exit code
     * @throws ServerFailed
     */
    public static function relay(
        string $socket,
        InputInterface $input,
        InputDefinition $definition,
        OutputInterface $output,
    ): int {
        $answer = self::ask($socket, $input, $definition);
        $errors = Errors::of($output);
        // The pool may be another user's, and hostile.
        $errors->write(Text::lines($answer['err']), false, OutputInterface::OUTPUT_RAW);
        $output->write(Text::lines($answer['out']), false, OutputInterface::OUTPUT_RAW);

        return $answer['code'];
    }

    /**
     * @return array{code: int, out: string, err: string}
     * @throws ServerFailed
     */
    private static function ask(string $socket, InputInterface $input, InputDefinition $definition): array
    {
        $page = (string) realpath(__DIR__ . '/../../page.php');
        $sent = http_build_query(self::words($input, $definition));
        if (\strlen($sent) > self::LONGEST) {
            throw new ServerFailed('a key that is so long cannot be sent to PHP-FPM');
        }
        $segment = $input->getOption('segment');
        if (\is_string($segment) && preg_match(self::SEGMENT, $segment) !== 1) {
            throw new ServerFailed("\"$segment\" cannot be the name of a segment");
        }
        $connection = PhpFpmConnection::open($socket, 300);
        $response = $connection->request([
            'REQUEST_METHOD' => 'GET',
            'SCRIPT_FILENAME' => $page,
            'SCRIPT_NAME' => '/page.php',
            self::PARAMETER => $sent,
            // The page may lie in a clone, away from the packages of the project.
            'LARDER_AUTOLOAD' => \is_string($_SERVER['LARDER_AUTOLOAD'] ?? null) ? $_SERVER['LARDER_AUTOLOAD'] : '',
        ] + (\is_string($segment) ? [
            'PHP_ADMIN_VALUE' => "larder.segment=$segment",
            'LARDER_SEGMENT' => $segment, // as bin/restart.php does: a mistyped one must not look empty and well
        ] : []));
        $connection->close();
        $answer = json_decode(explode(self::BEGIN, $response->body, 2)[1] ?? '', true);
        [$code, $out, $err] = \is_array($answer)
            ? [$answer['code'] ?? null, $answer['out'] ?? null, $answer['err'] ?? null] : [null, null, null];
        if (!\is_int($code) || !\is_string($out) || !\is_string($err)) {
            $said = trim($response->errors . ' ' . strip_tags(substr($response->body, 0, 200)));

            throw new ServerFailed(
                "PHP-FPM cannot run $page: " . ($said === '' ? "status $response->status" : $said)
                    . (preg_match(self::UNREADABLE, $said) === 1
                        ? '. Its user needs to read it, and its packages; so does open_basedir' : ''),
            );
        }

        return ['code' => $code, 'out' => $out, 'err' => $err];
    }

    /** @return list<string> the command line, without what only this side needs */
    private static function words(InputInterface $input, InputDefinition $definition): array
    {
        $arguments = array_filter($input->getArguments(), is_string(...));
        $words = [$arguments['command'], '--no-interaction', '--no-ansi'];
        unset($arguments['command']);
        foreach ($input->getOptions() as $name => $value) {
            $option = $definition->getOption($name);
            $isAsked = $value !== $option->getDefault() && !\in_array($name, self::OF_THIS_SIDE, true);
            if ($isAsked && ($value === true || \is_string($value))) {
                $words[] = "--$name" . (\is_string($value) ? "=$value" : '');
            }
        }
        if ($words[0] === 'top' && !\in_array('--once', $words, true)) {
            $words[] = '--once';
        }

        return [...$words, '--', ...array_values($arguments)];
    }
}
