package carillon.client;

import java.util.List;

/**
 * What a condition addresses.
 *
 * @param condition the condition in its canonical form
 * @param devices how many devices a message would address now
 * @param sets the sets that it names
 */
public record Explanation(String condition, long devices, List<ExplainedSet> sets) {
}
