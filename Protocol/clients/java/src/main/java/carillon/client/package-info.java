/**
 * The client of Carillon: {@link carillon.client.CarillonClient} is where a program begins.
 *
 * <p>Ids, cursors and sequences are a {@code long} whose 64 bits are unsigned; see {@link carillon.client.Unsigned}.
 */
package carillon.client;
