/**
 * The client of Carillon: {@link carillon.client.CarillonClient} is where a program begins.
 *
 * <p>Ids, cursors and sequences are a {@code long} whose 64 bits are unsigned; see {@link carillon.client.Unsigned}.
 *
 * <p>No method returns null, and no member of an answer is null: what is absent is an empty {@code Optional},
 * {@code OptionalLong}, list or map. No parameter may be null: that is INVALID_ARGUMENT with the name of the field.
 * Calls and refused arguments throw {@link carillon.client.CarillonException} only, which is unchecked; a blocking
 * method on a thread of the client throws {@link java.lang.IllegalStateException}.
 */
package carillon.client;
