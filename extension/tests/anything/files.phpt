--TEST--
A fetched value is written to files and streams
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$file = tempnam(sys_get_temp_dir(), 'larder');
file_put_contents($file, stored('long'));
file_put_contents($file, stored('strings'), FILE_APPEND);
$read = file_get_contents($file);
$read[0] = 'X';
$lines = file($file);
$lines[0] .= '!';
$handle = fopen($file, 'w+');
fwrite($handle, stored('text'), 5);
fputs($handle, stored('utf8'));
fputcsv($handle, stored('strings'), ',', '"', '\\');
rewind($handle);
fgetcsv($handle, null, ',', '"', '\\');
str_getcsv(stored('text'), ' ', '"', '\\');
stream_copy_to_stream(fopen('data:text/plain,' . stored('word'), 'r'), $handle);
ftruncate($handle, 0);
fclose($handle);
touch($file . stored('word'));
rename($file . stored('word'), "$file.renamed");
@file_exists(stored('path')) && @is_dir(stored('path'));
realpath(stored('path'));
pathinfo(stored('path'));
unlink("$file.renamed");
unlink($file);
@unlink(stored('word'));
@mkdir(stored('long'));
@fopen(stored('word'), 'r');
@include stored('word');
glob(stored('word') . '*');
fnmatch(stored('word'), stored('text'));
$info = new SplFileInfo(stored('path'));
$info->getFilename();
$temporary = new SplTempFileObject();
$temporary->fwrite(stored('long'));
chdir(sys_get_temp_dir());
pack('a*', stored('text')) . serialize(unpack('C*', stored('word')));
$pipes = [];
$process = proc_open(['cat'], [['pipe', 'r'], ['pipe', 'w']], $pipes, null, [stored('word') => stored('text')]);
fwrite($pipes[0], stored('text'));
fclose($pipes[0]);
stream_get_contents($pipes[1]) === stored('text') || print "not the text\n";
proc_close($process);

unchanged();
?>
--EXPECT--
unchanged
