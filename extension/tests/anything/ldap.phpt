--TEST--
A parallel LDAP search moves the internal pointers of its arguments
--EXTENSIONS--
ldap
--FILE--
<?php
require __DIR__ . '/../anything.inc';

larder_store('bases', ['dc=one', 'dc=two']);
larder_store('filters', ['(cn=1)', '(cn=2)']);
larder_store('attributes', PHP_VERSION_ID < 80500 ? [1, 2.5, true] : ['cn', 'sn']);
$links = [ldap_connect('ldapi://%2Fnowhere'), ldap_connect('ldapi://%2Fnowhere')]; // connects when it searches
foreach (['ldap_search', 'ldap_list', 'ldap_read'] as $search) {
    @$search($links, larder_fetch('bases'), larder_fetch('filters'), larder_fetch('attributes'));
}
$entry = ['cn' => [1, 2, true], 'sn' => 1];
larder_store('entry', $entry);
foreach (['ldap_add', 'ldap_mod_add', 'ldap_mod_replace', 'ldap_mod_del', 'ldap_modify', 'ldap_add_ext', 'ldap_mod_replace_ext'] as $change) {
    @$change($links[0], 'dc=one', larder_fetch('entry'));
}
larder_store('changes', [['attrib' => 'cn', 'modtype' => LDAP_MODIFY_BATCH_ADD, 'values' => [1, 2]]]);
@ldap_modify_batch($links[0], 'dc=one', larder_fetch('changes'));
larder_fetch('bases') === ['dc=one', 'dc=two'] && larder_fetch('entry') === $entry || print "something has changed\n";

unchanged();
?>
--EXPECT--
unchanged
