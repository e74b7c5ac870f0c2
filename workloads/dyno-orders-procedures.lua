-- The five transactions of orders as stored procedures, in both forms: new_order_common, new_order_specified, ... Each is
-- a whole transaction; an error in it ends with ROLLBACK. What a client would read they keep.

local dyno = require("dyno")

local procedures = {NAMES = {"new_order", "payment", "order_status", "delivery", "stock_level"}}

local UNDO = " DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;"

-- What the specified form does more, by name; as commonly run there is nothing in its place.
local MORE = {
   stock_counters = ", s_ytd = s_ytd + l_quantity, s_order_cnt = s_order_cnt + 1," ..
      " s_remote_cnt = s_remote_cnt + IF(l_supply = p_w_id, 0, 1)",
   payment_counter = ", c_payment_cnt = c_payment_cnt + 1",
   looked_at = "v_o_id",
}
local LESS = {stock_counters = "", payment_counter = "", looked_at = "p_d_id"}

-- The customer with a number, or of those with a name the one in the middle.
local FIND_CUSTOMER = [[
   IF p_c_last <> '' THEN
      SELECT COUNT(c_id) INTO v_namesakes FROM customer
         WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_last = p_c_last;
      SET v_before = CEILING(v_namesakes / 2) - 1;
      SELECT c_id INTO p_c_id FROM customer
         WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_last = p_c_last ORDER BY c_first LIMIT v_before, 1;
   END IF;]]

local NEW_ORDER = [[(p_w_id INT, p_d_id INT, p_c_id INT, p_lines INT, p_all_local INT, p_now DATETIME, p_ordered VARCHAR(1000))
whole: BEGIN
   DECLARE v_o_id, l_number, l_item, l_supply, l_quantity, l_left INT;
   DECLARE v_discount, v_w_tax, v_d_tax DECIMAL(4,4);
   DECLARE l_price DECIMAL(5,2);
   DECLARE v_last VARCHAR(16);
   DECLARE v_credit CHAR(2);
   DECLARE l_name, l_dist VARCHAR(24);
   DECLARE l_data, l_stock_data VARCHAR(50);
   DECLARE l_text VARCHAR(40);
   <undo>
   START TRANSACTION;
   SELECT c_discount, c_last, c_credit, w_tax INTO v_discount, v_last, v_credit, v_w_tax FROM customer, warehouse
      WHERE w_id = p_w_id AND c_w_id = w_id AND c_d_id = p_d_id AND c_id = p_c_id;
   SELECT d_next_o_id, d_tax INTO v_o_id, v_d_tax FROM district WHERE d_w_id = p_w_id AND d_id = p_d_id FOR UPDATE;
   UPDATE district SET d_next_o_id = v_o_id + 1 WHERE d_w_id = p_w_id AND d_id = p_d_id;
   INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
      VALUES (v_o_id, p_d_id, p_w_id, p_c_id, p_now, p_lines, p_all_local);
   INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (v_o_id, p_d_id, p_w_id);
   SET l_number = 1;
   WHILE l_number <= p_lines DO
      SET l_text = SUBSTRING_INDEX(SUBSTRING_INDEX(p_ordered, ';', l_number), ';', -1), l_price = NULL;
      SET l_item = SUBSTRING_INDEX(l_text, ',', 1);
      SET l_supply = SUBSTRING_INDEX(SUBSTRING_INDEX(l_text, ',', 2), ',', -1);
      SET l_quantity = SUBSTRING_INDEX(l_text, ',', -1);
      SELECT i_price, i_name, i_data INTO l_price, l_name, l_data FROM item WHERE i_id = l_item;
      IF l_price IS NULL THEN
         ROLLBACK;
         LEAVE whole;
      END IF;
      SELECT s_quantity, s_data, CASE p_d_id WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03
         WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07
         WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END INTO l_left, l_stock_data, l_dist
         FROM stock WHERE s_i_id = l_item AND s_w_id = l_supply FOR UPDATE;
      UPDATE stock SET s_quantity = l_left - l_quantity + IF(l_left >= l_quantity + 10, 0, 91)<stock_counters>
         WHERE s_i_id = l_item AND s_w_id = l_supply;
      INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount,
         ol_dist_info) VALUES (v_o_id, p_d_id, p_w_id, l_number, l_item, l_supply, l_quantity, l_price * l_quantity, l_dist);
      SET l_number = l_number + 1;
   END WHILE;
   COMMIT;
END]]

local PAYMENT = [[(p_w_id INT, p_d_id INT, p_c_w_id INT, p_c_d_id INT, p_c_id INT, p_c_last VARCHAR(16),
   p_amount DECIMAL(6,2), p_now DATETIME)
BEGIN
   DECLARE v_namesakes, v_before INT;
   DECLARE v_w_name, v_d_name VARCHAR(10);
   DECLARE v_credit CHAR(2);
   DECLARE v_data VARCHAR(500);
   <undo>
   START TRANSACTION;
   UPDATE warehouse SET w_ytd = w_ytd + p_amount WHERE w_id = p_w_id;
   SELECT w_name INTO v_w_name FROM warehouse WHERE w_id = p_w_id;
   UPDATE district SET d_ytd = d_ytd + p_amount WHERE d_w_id = p_w_id AND d_id = p_d_id;
   SELECT d_name INTO v_d_name FROM district WHERE d_w_id = p_w_id AND d_id = p_d_id;
   <find_customer>
   SELECT c_credit INTO v_credit FROM customer
      WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id FOR UPDATE;
   IF v_credit = 'BC' THEN
      SELECT c_data INTO v_data FROM customer WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id FOR UPDATE;
      SET v_data = LEFT(CONCAT(CONCAT_WS(' ', p_c_id, p_c_d_id, p_c_w_id, p_d_id, p_w_id, p_amount), '|', v_data), 500);
      UPDATE customer SET c_balance = c_balance - p_amount, c_ytd_payment = c_ytd_payment + p_amount<payment_counter>,
         c_data = v_data WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;
   ELSE
      UPDATE customer SET c_balance = c_balance - p_amount, c_ytd_payment = c_ytd_payment + p_amount<payment_counter>
         WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;
   END IF;
   INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
      VALUES (p_c_id, p_c_d_id, p_c_w_id, p_d_id, p_w_id, p_now, p_amount, CONCAT(v_w_name, '    ', v_d_name));
   COMMIT;
END]]

local ORDER_STATUS = [[(p_d_id INT, p_c_w_id INT, p_c_d_id INT, p_c_id INT, p_c_last VARCHAR(16))
BEGIN
   DECLARE v_namesakes, v_before, v_o_id, v_carrier, v_lines INT;
   DECLARE v_entry DATETIME;
   DECLARE v_balance, v_amount DECIMAL(14,2);
   <undo>
   START TRANSACTION;
   <find_customer>
   SELECT c_balance INTO v_balance FROM customer WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;
   SELECT o_id, o_carrier_id, o_entry_d INTO v_o_id, v_carrier, v_entry FROM orders
      WHERE o_w_id = p_c_w_id AND o_d_id = p_c_d_id AND o_c_id = p_c_id ORDER BY o_id DESC LIMIT 1;
   SELECT COUNT(*), SUM(ol_amount) INTO v_lines, v_amount FROM order_line
      WHERE ol_w_id = p_c_w_id AND ol_d_id = p_c_d_id AND ol_o_id = <looked_at>;
   COMMIT;
END]]

local DELIVERY = [[(p_w_id INT, p_carrier INT, p_now DATETIME)
BEGIN
   DECLARE v_d_id, v_o_id, v_c_id INT;
   DECLARE v_total DECIMAL(14,2);
   <undo>
   START TRANSACTION;
   SET v_d_id = 1;
   WHILE v_d_id <= 10 DO
      SET v_o_id = NULL;
      SELECT no_o_id INTO v_o_id FROM new_orders WHERE no_w_id = p_w_id AND no_d_id = v_d_id
         ORDER BY no_o_id LIMIT 1 FOR UPDATE;
      IF v_o_id IS NOT NULL THEN
         DELETE FROM new_orders WHERE no_w_id = p_w_id AND no_d_id = v_d_id AND no_o_id = v_o_id;
         SELECT o_c_id INTO v_c_id FROM orders WHERE o_w_id = p_w_id AND o_d_id = v_d_id AND o_id = v_o_id FOR UPDATE;
         UPDATE orders SET o_carrier_id = p_carrier WHERE o_w_id = p_w_id AND o_d_id = v_d_id AND o_id = v_o_id;
         UPDATE order_line SET ol_delivery_d = p_now WHERE ol_w_id = p_w_id AND ol_d_id = v_d_id AND ol_o_id = v_o_id;
         SELECT SUM(ol_amount) INTO v_total FROM order_line
            WHERE ol_w_id = p_w_id AND ol_d_id = v_d_id AND ol_o_id = v_o_id;
         UPDATE customer SET c_balance = c_balance + v_total, c_delivery_cnt = c_delivery_cnt + 1
            WHERE c_w_id = p_w_id AND c_d_id = v_d_id AND c_id = v_c_id;
      END IF;
      SET v_d_id = v_d_id + 1;
   END WHILE;
   COMMIT;
END]]

local STOCK_LEVEL = [[(p_w_id INT, p_d_id INT, p_threshold INT)
BEGIN
   DECLARE v_o_id, v_low INT;
   <undo>
   START TRANSACTION;
   SELECT d_next_o_id INTO v_o_id FROM district WHERE d_w_id = p_w_id AND d_id = p_d_id;
   SELECT COUNT(DISTINCT s_i_id) INTO v_low FROM order_line, stock WHERE ol_w_id = p_w_id AND ol_d_id = p_d_id
      AND ol_o_id < v_o_id AND ol_o_id >= v_o_id - 20 AND s_w_id = p_w_id AND s_i_id = ol_i_id
      AND s_quantity < p_threshold;
   COMMIT;
END]]

local TEXTS = {NEW_ORDER, PAYMENT, ORDER_STATUS, DELIVERY, STOCK_LEVEL}

local function create(name, text)
   dyno.set_up("DROP PROCEDURE IF EXISTS " .. name)
   dyno.set_up(("CREATE PROCEDURE %s %s"):format(name, text))
end

-- Create those of both forms.
function procedures.create()
   for form, parts in pairs({common = LESS, specified = MORE}) do
      for kind, name in ipairs(procedures.NAMES) do
         local text = TEXTS[kind]:gsub("<undo>", UNDO):gsub("<find_customer>", FIND_CUSTOMER)
         create(name .. "_" .. form, (text:gsub("<([%l_]+)>", parts)))
      end
   end
end

return procedures
