<?php

declare(strict_types=1);

namespace Larder\Cli\Report\Html;

use Larder\Cli\Advice\Text;
use Larder\Cli\Report\Report;

/** The form that selects what all charts and tables show. page.js reads it, and keeps the selection in the address. */
final class Filters
{
    public function __construct(private readonly Report $report) {}

    public function html(): string
    {
        $stores = $connections = $sizes = [];
        foreach ($this->report->rows as $row) {
            $stores[$row->subject->store] = true;
            $connections[$row->subject->connection ?? 'memory'] = true;
            if ($row->subject->bytes !== null) {
                $sizes[$row->subject->bytes] = Text::bytes($row->subject->bytes);
            }
        }
        ksort($sizes);
        $fields = (\count($sizes) > 1 ? self::select(
            'from',
            'Values from',
            ['' => 'the smallest'] + $sizes,
        ) . self::select('to', 'to', ['' => 'the largest'] + $sizes) : '')
            . self::select('scale', 'Scale', ['' => 'logarithmic', 'linear' => 'linear']);

        return '<details><summary data-focus="summary"><b>Show</b><span id="shown"></span><span '
            . 'class="change">Change</span></summary><form class="body">'
            . self::boxes('stores', 'Stores', array_keys($stores))
            . self::boxes('connections', 'Connections', array_keys($connections))
            . "<div class=\"row\">$fields<button type=\"reset\" id=\"reset\">Reset</button></div></form></details>";
    }

    /** @param list<int|string> $names */
    private static function boxes(string $name, string $label, array $names): string
    {
        sort($names, \SORT_STRING);
        $boxes = '';
        foreach ($names as $each) {
            $each = Folds::escaped((string) $each);
            $boxes .= "<label class=\"chip\"><input type=\"checkbox\" name=\"$name\" value=\"$each\" "
                . "data-focus=\"$name-$each\" checked>$each</label>";
        }

        return \sprintf(
            '<fieldset><legend>%s <button type="button" class="link" data-all="%2$s">all</button><button '
                . 'type="button" class="link" data-none="%2$s">none</button></legend><div class="chips">%3$s</div>'
                . '</fieldset>',
            $label,
            $name,
            $boxes,
        );
    }

    /** @param array<int|string, string> $options */
    private static function select(string $name, string $label, array $options): string
    {
        $html = '';
        foreach ($options as $value => $text) {
            $html .= "<option value=\"$value\">$text</option>";
        }

        return "<label class=\"select\">$label<select name=\"$name\" data-focus=\"$name\">$html</select></label>";
    }
}
