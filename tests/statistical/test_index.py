"""Where each known answer, negative control and table of the statistics and methods notes is shown.

The names are those of the notes: KA known answer, NEG negative control, CAL calibration, A acceptance number, 8 the
tables of epsilon. A test that is renamed or goes is missed here.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
SHOWN: dict[str, tuple[str, ...]] = {
    "KA1": (
        "statistical/test_known_games.py::test_ka1_the_table_itself_is_found_and_never_with_certainty",
        "stats/test_epsilon.py::test_every_answer_right_prints_the_ceiling_of_the_correction",
    ),
    "KA2": (
        "statistical/test_known_games.py::test_ka2_a_bootstrap_of_the_table_is_not_always_found",
        "statistical/test_worlds.py::test_a_bootstrap_is_found_as_often_in_every_kind_of_world",
    ),
    "KA3": (
        "statistical/test_known_answers_public.py::test_ka3_a_subsample_gives_away_its_share",
        "generators/test_calibration.py::test_the_subsample_leaks_its_share",
    ),
    "KA4": (
        "statistical/test_known_answers_public.py::test_ka4_a_leak_is_as_likely_as_it_says",
        "statistical/test_known_answers_public.py::test_ka4_a_leak_shows_no_epsilon_beyond_its_delta",
        "generators/test_calibration.py::test_the_leak_is_as_likely_as_it_says",
        "stats/test_epsilon.py::test_a_leaky_release_shows_nothing_beyond_its_delta",
        "stats/test_epsilon.py::test_leaky_release_shows_nothing_beyond_its_delta",
    ),
    "KA5": (
        "statistical/test_known_answers_public.py::test_ka5_randomised_response_is_believed_as_often_as_epsilon_says",
        "generators/test_calibration.py::test_randomised_response_on_one_bit_is_believed_as_often_as_epsilon_says",
        "stats/test_summary.py::test_randomised_response_has_its_closed_form",
    ),
    "KA6": (
        "statistical/test_known_answers_public.py::test_ka6_a_noisy_count_is_told_as_often_as_its_formula_says",
        "generators/test_calibration_numbers.py::test_the_formula_of_the_count_has_both_its_ends",
        "generators/test_calibration_numbers.py::test_ka6_the_noisy_count_is_told_as_often_as_its_formula_says",
    ),
    "KA7": (
        "statistical/test_known_answers_public.py::test_ka7_a_noisy_mean_has_its_auc_its_advantage_and_its_curve",
        "generators/test_calibration_numbers.py::test_ka7_the_noisy_mean_is_told_as_often_as_its_formula_says",
        "generators/test_calibration_numbers.py::test_ka7_holds_at_every_distance",
        "stats/test_summary.py::test_gaussian_release_has_its_closed_form",
        "stats/test_privacy.py::test_printed_epsilons_of_a_gaussian_method",
    ),
    "KA8": ("statistical/test_release_of_rows.py::test_ka8_the_whole_curve_is_that_of_two_normal_distributions",),
    "KA9": (
        "statistical/test_known_games.py::test_ka9_independent_marginals_still_give_a_unique_category_away",
        "statistical/test_known_games.py::test_ka9_without_the_unique_category_independent_marginals_are_at_chance",
    ),
    "KA10": ("statistical/test_known_games.py::test_ka10_a_generator_that_ignores_the_data_is_at_chance",),
    "KA11": (
        "questions/released/test_released.py::test_a_copy_that_was_moved_is_not_called_free_of_a_leak",
        "statistical/test_known_games.py::test_ka11_a_copy_that_was_moved_hides_from_who_looks_for_the_row_itself",
        "pages/test_released.py::test_a_result_has_its_pictures_tables_and_the_panel_that_does_not_judge",
    ),
    "KA12": (
        "statistical/test_record_campaigns.py::test_ten_copied_people_of_a_thousand_are_listed_and_nearly_nobody_else",
        "report/test_bounds.py::test_ten_outliers_among_many_are_listed_and_hardly_anybody_else",
    ),
    "KA13": (
        "statistical/test_release_of_rows.py::test_ka13_all_copies_of_the_target_leave_with_it",
        "games/test_membership.py::test_copies_of_the_target_are_in_neither_world_and_are_counted",
        "games/test_worlds.py::test_no_record_is_both_the_attackers_and_in_a_world",
        "games/test_worlds.py::test_a_split_by_row_would_put_copies_on_both_sides",
    ),
    "KA14": (
        "statistical/test_known_answers_public.py::test_ka14_what_says_the_same_of_everything_has_no_auc",
        "stats/test_summary.py::test_one_truth_only_is_an_error_never_one_half",
        "stats/test_summary.py::test_scores_that_are_not_numbers_are_an_error",
        "stats/test_summary.py::test_one_score_for_everything_is_an_error_never_one_half",
        "test_core.py::test_scores_that_are_not_finite_are_counted_and_refused",
    ),
    "KA15": (
        "statistical/test_known_answers_public.py::test_ka15_what_is_kept_gives_the_same_numbers_to_a_slow_count",
        "stats/test_roc.py::test_ranks_agree_with_counting_every_pair",
        "stats/test_intervals.py::test_clopper_pearson_agrees_with_a_search",
        "stats/test_intervals.py::test_newcombe_agrees_with_the_roots_of_its_polynomial",
        "stats/test_epsilon.py::test_agrees_with_a_search_over_the_privacy_region",
        "stats/test_one_run.py::test_the_p_value_of_one_training_agrees_with_a_loop",
    ),
    "KA16": (
        "stats/test_roc.py::test_monotone_transform_of_the_scores_changes_no_bit",
        "stats/test_roc.py::test_exchanged_labels_give_one_minus_the_auc_to_the_last_bit",
        "stats/test_epsilon.py::test_a_monotone_change_of_scores_moves_no_bound",
        "statistical/test_metamorphic.py::test_how_a_table_is_written_changes_no_number",
        "questions/released/test_order.py::test_how_a_file_is_written_changes_no_number",
    ),
    "NEG1": (
        "report/test_bounds.py::test_nobody_is_listed_where_nothing_leaks",
        "statistical/test_p_values.py::test_independent_trainings_without_a_leak_have_even_p_values",
        "statistical/test_p_values.py::test_clustered_trainings_without_a_leak_have_even_p_values",
    ),
    "NEG2": (
        "statistical/test_disjoint.py::test_400_permutations_of_100_trainings_average_one_half",
        "statistical/test_disjoint.py::test_permuted_trainings_average_one_half",
        "statistical/test_disjoint.py::test_an_attack_that_learns_from_counted_trainings_is_caught",
    ),
    "NEG3": (
        "statistical/test_disjoint.py::test_releases_that_resemble_one_another_teach_nothing_about_others",
        "statistical/test_disjoint.py::test_a_split_by_generation_is_caught",
    ),
    "NEG4": (
        "statistical/test_worlds.py::test_a_row_count_tells_nothing_in_any_world",
        "games/test_membership.py::test_both_sides_release_the_same_number_of_rows",
        "games/test_membership.py::test_a_generator_that_gives_its_own_number_of_rows_is_refused",
        "contracts/test_generators.py::test_the_length_of_the_table_does_not_show_in_the_length_of_the_release",
    ),
    "NEG5": (
        "games/test_membership.py::test_every_training_has_a_stream_of_its_own",
        "games/test_worlds.py::test_shadows_of_both_kinds_and_counted_trainings_have_streams_of_their_own",
        "test_seeds.py::test_two_streams_of_one_name_would_be_seen",
    ),
    "NEG6": (
        "statistical/test_released_records.py::test_a_shift_in_time_blocks",
        "statistical/test_released_records.py::test_of_500_random_splits_no_more_than_45_are_blocked",
    ),
    "NEG7": (
        "questions/membership/test_control.py::test_an_exact_attack_finds_what_was_planted_to_within_three_standard_errors",
        "questions/membership/test_control.py::test_a_broken_attack_is_not_found_to_work_and_its_silence_counts_for_nothing",
    ),
    "NEG8": (
        "report/audited/test_not_shown.py::test_neg8_an_attack_no_better_than_its_baseline_is_a_state_on_every_surface",
        "report/audited/test_not_shown.py::test_neg8_no_verdict_of_a_leak_stands_on_an_attack_no_better_than_its_baseline",
        "pages/test_verdicts.py::test_every_page_says_the_word_of_the_report",
    ),
    "NEG9": (
        "report/audited/test_not_shown.py::test_neg9_what_could_have_shown_stands_wherever_no_leak_is_shown",
        "report/audited/test_not_shown.py::test_neg9_it_is_printed_as_well",
        "judging/test_judge.py::test_neg9_what_could_have_shown_stands_wherever_no_leak_is_shown",
        "stats/test_power.py::test_an_effect_as_large_as_an_interval_could_have_shown_shows_in_8_of_10_audits",
    ),
    "CAL1": ("statistical/test_auc_coverage.py::test_every_independent_cell_is_covered_and_not_vacuous",),
    "CAL2": (
        "statistical/test_auc_coverage.py::test_every_clustered_cell_is_covered_and_not_vacuous",
        "statistical/test_auc_coverage.py::test_taking_generations_for_trainings_covers_as_little_as_printed",
    ),
    "CAL3": (
        "statistical/test_epsilon_calibration.py::test_randomised_response_is_seldom_overstated",
        "statistical/test_epsilon_calibration.py::test_gaussian_release_is_seldom_overstated",
        "statistical/test_epsilon_calibration.py::test_bound_of_randomised_response_is_close_below_the_truth",
    ),
    "CAL4": (
        "statistical/test_p_values.py::test_independent_trainings_without_a_leak_have_even_p_values",
        "statistical/test_p_values.py::test_clustered_trainings_without_a_leak_have_even_p_values",
        "statistical/test_p_values.py::test_tied_trainings_without_a_leak_have_even_p_values",
    ),
    "CAL5": ("stats/test_campaign.py::test_the_list_keeps_its_promise_where_records_share_releases",),
    "CAL6": (
        "stats/test_campaign.py::test_the_chosen_record_needs_fresh_trainings",
        "stats/test_campaign.py::test_the_chosen_record_is_held_in_a_thousand_campaigns",
    ),
    "CAL7": ("stats/test_campaign.py::test_the_count_above_a_limit_holds_the_truth",),
    "CAL8": (
        "statistical/test_inference_coverage.py::test_residual_is_held_as_often_as_said",
        "statistical/test_inference_coverage.py::test_cutting_the_residual_at_nought_would_make_a_leak_of_none",
        "statistical/test_inference_coverage.py::test_no_excess_over_the_control_is_held_on_both_sides_and_never_cut_off",
    ),
    "CAL9": ("statistical/test_auc_coverage.py::test_twice_the_trainings_narrow_the_interval_by_the_root_of_two",),
    "A1.1": ("statistical/test_worlds.py::test_a_noisy_mean_hides_more_where_worlds_are_drawn_anew",),
    "A1.2": (
        "stats/test_privacy.py::test_printed_auc_of_pure_epsilon",
        "generators/test_calibration.py::test_randomised_response_on_one_bit_is_believed_as_often_as_epsilon_says",
    ),
    "A1.3": ("stats/test_campaign.py::test_two_games_that_are_the_same_differ_as_luck_alone_has_it",),
    "A1.5": (
        "statistical/test_worlds.py::test_no_attack_on_privbayes_is_better_than_its_epsilon_allows",
        "statistical/test_worlds.py::test_a_broken_noise_scale_is_caught",
    ),
    "A2.1": ("targets/test_vulnerable.py::test_the_ten_published_records_of_adult",),
    "A6.1": ("statistical/test_adult_games.py::test_post_processing_decides_whether_mvl_finds_a_record_in_stat",),
    "A6.3": ("statistical/test_adult_games.py::test_the_neighbour_attack_is_at_chance_on_stat",),
    "8": (
        "stats/test_epsilon.py::test_printed_bounds",
        "stats/test_epsilon.py::test_printed_bayesian_intervals",
        "stats/test_epsilon.py::test_printed_gaussian_bounds",
        "stats/test_one_run.py::test_printed_bounds_of_one_training",
        "stats/test_privacy.py::test_printed_advantage",
        "stats/test_privacy.py::test_printed_share_named_at_a_share_of_false_alarms",
        "stats/test_privacy.py::test_printed_points_of_the_calibration_library",
    ),
    "rule 3 of A1": (
        "questions/membership/test_choices.py::test_where_nothing_leaks_the_chosen_value_is_at_chance_and_picked_ones_are_not",
        "stats/test_epsilon.py::test_the_rates_at_the_best_cut_overstate_where_there_is_no_leak",
        "stats/test_roc.py::test_scores_that_know_nothing_average_one_half_and_flattering_areas_do_not",
    ),
}
"""Name in the notes -> the tests that show it."""


PUBLIC = {"run_membership", "run_records", "run_released", "riskkit", "played"}
"""What a test that goes the public way calls; `played` plays a run in tests of the order of rows."""


def paths_of(name: str) -> set[str]:
    """The files of the tests of that name."""
    return {where.partition("::")[0] for where in SHOWN[name]}


def names_of(path: str) -> list[str]:
    """Every name that a file uses."""
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]


def functions_of(path: str) -> set[str]:
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("name", list(SHOWN))
def test_what_is_said_to_be_shown_is_shown(name: str) -> None:
    for where in SHOWN[name]:
        path, _, test = where.partition("::")
        assert test in functions_of(path), where


def test_none_of_the_list_is_left_out() -> None:
    wanted = {f"KA{number}" for number in range(1, 17)} | {
        f"{kind}{number}" for kind in ("NEG", "CAL") for number in range(1, 10)
    }
    assert wanted <= set(SHOWN)


def test_every_known_answer_is_shown_as_a_reader_meets_it() -> None:
    """At least one of its tests plays whole runs or opens whole files, and not a statistic alone."""
    imported = {path: PUBLIC & set(names_of(path)) for name in SHOWN for path in paths_of(name)}
    for number in range(1, 17):
        assert any(imported[path] for path in paths_of(f"KA{number}")), f"KA{number}"


def test_a_test_that_is_not_there_is_missed() -> None:
    assert "test_nothing_at_all" not in functions_of("stats/test_roc.py")
