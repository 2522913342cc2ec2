echo "looked at $(wc -l < kept.txt) line"
echo other > kept.txt
chmod 600 kept.txt
touch made
