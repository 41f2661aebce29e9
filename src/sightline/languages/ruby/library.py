"""Names that Ruby brings along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

BUILTINS = words(
    """
    abort alias_method at_exit attr_accessor attr_reader attr_writer autoload binding block_given? caller catch
    define_method eval exit extend fail format freeze gets include instance_eval instance_variable_get
    instance_variable_set lambda loop module_function nil? p pp prepend print printf private private_class_method
    private_constant proc protected public public_send puts raise rand require respond_to? send sleep sprintf srand
    super system throw undef_method warn
    """
)
COMMON_MEMBERS = (
    EVERYWHERE
    | BUILTINS
    | words(
        """
    all? any? ancestors basename bytes bytesize call capitalize chars chomp class class_eval class_exec collect
    compact
    concat const_get count cycle default delete delete_if detect dig dirname downcase downto dup each_char each_cons
    each_key each_line each_pair each_slice each_value each_with_index each_with_object empty? encoding
    end_with? entries eql? equal? except exist? expand_path fetch file? find_all find_index first flat_map
    force_encoding freeze frozen? gsub gsub! has_key? hex include? inject inspect instance_exec instance_method
    instance_of?
    instance_variables instance_variable_defined? intern is_a? join key? keys kind_of? last lines lstrip map! match?
    max_by member? members merge! method method_missing methods min_by name new nil? none? object_id one? pack
    partition positive? pred public_method_defined? reject replace respond_to? reverse rindex rstrip scan select
    shift size slice sort_by split squeeze start_with? step strftime strip sub sub! succ sum superclass swapcase sym
    tap times to_a to_ary to_f to_h to_hash to_i to_json to_proc to_r to_s to_str to_sym tr transform_keys
    transform_values unpack unpack1 unshift upcase uniq upto values_at with_index zero? zip must_equal
    body port host scheme path_info headers params session env referer user_agent instrument kill assert_equal
    """
    )
)
