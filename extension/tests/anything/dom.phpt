--TEST--
A fetched value goes into documents
--EXTENSIONS--
dom
simplexml
xmlreader
xmlwriter
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$document = new DOMDocument('1.0', 'UTF-8');
$root = $document->appendChild($document->createElement(stored('word'), htmlspecialchars(stored('text'))));
$root->setAttribute(stored('word'), stored('utf8'));
$text = $root->appendChild($document->createTextNode(stored('long')));
$text->appendData(stored('text'));
$text->nodeValue = stored('text');
$text->splitText(3);
foreach (stored('rows') as $row) {
    $child = $root->appendChild($document->createElement('row'));
    $child->setAttribute('name', $row['name']);
    $child->textContent = $row['tags'][2]['deep'];
}
$xml = $document->saveXML();
$again = new DOMDocument();
$again->loadXML($xml);
(new DOMXPath($again))->query('//row[@name="' . stored('rows')[0]['name'] . '"]')->item(0)->textContent .= '!';
$simple = simplexml_load_string($xml);
$simple->row[0]['name'] = stored('text');
$simple->addChild(stored('word'), stored('word'));
$array = (array) $simple;
$array['row'] = stored('rows');
$reader = new XMLReader();
$reader->XML($xml);
while ($reader->read()) {
    $value = $reader->getAttribute(stored('word'));
}
$writer = new XMLWriter();
$writer->openMemory();
$writer->startElement(stored('word'));
$writer->writeAttribute(stored('word'), stored('text'));
$writer->text(stored('long'));
$writer->endElement();
$written = $writer->outputMemory();
$written .= stored('text');
libxml_use_internal_errors(true);
$again->loadXML(stored('text'));
libxml_clear_errors();

unchanged();
?>
--EXPECT--
unchanged
